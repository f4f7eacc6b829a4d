//go:build unix

package cmd

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestSecondSignal verifies that the first signal ends the context of a command. The process
// survives further signals at once, and a signal after a second ends it.
func TestSecondSignal(t *testing.T) {
	const helper = "SECOND_SIGNAL_HELPER"
	if os.Getenv(helper) != "" {
		ctx, stop := untilSignal()
		defer stop()
		fmt.Println("started")
		<-ctx.Done()
		for {
			fmt.Println("draining")
			time.Sleep(10 * time.Millisecond)
		}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSecondSignal$", "-test.timeout=1m")
	cmd.Env = append(os.Environ(), helper+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	drained := 0
	var first time.Time
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if first.IsZero() {
			first = time.Now()
		}
		_ = cmd.Process.Signal(syscall.SIGTERM) // again, until the second has passed
		if lines.Text() == "draining" {
			if drained++; drained > 1000 {
				t.Fatal("the process ignores the second signal")
			}
		}
	}
	survived := time.Since(first)
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if survived < time.Second || drained == 0 || !ok || !status.Signaled() ||
		status.Signal() != syscall.SIGTERM {
		t.Errorf("%d lines in %s, then %v", drained, survived, cmd.ProcessState)
	}
}
