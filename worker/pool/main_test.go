package pool

import (
	"context"
	"os"
	"testing"
	"time"

	"slipstick/worker/internal/workertest"
)

// testTimeout bounds the wait for events that take milliseconds on an idle machine.
const testTimeout = 30 * time.Second

// TestMain also runs as the child process of the tests, which is the test binary with an argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "child":
			os.Exit(workertest.ChildMain(RunChild))
		case "confined-child":
			if err := RunChild(context.Background(), confinedCatalog(), os.Stdin,
				os.Stdout); err != nil {
				os.Exit(2)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

func childCommand() []string { return []string{os.Args[0], "child"} }
