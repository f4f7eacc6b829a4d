package spice

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestHostile runs every netlist of testdata/hostile. The title says what is wanted:
// "want", the code, the line at fault, and words the sentence must contain.
func TestHostile(t *testing.T) {
	files, _ := filepath.Glob("testdata/hostile/*.cir")
	if len(files) < 25 {
		t.Fatalf("only %d files in testdata/hostile", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".cir"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			title, _, _ := strings.Cut(string(text), "\n")
			f := strings.SplitN(title, " ", 4)
			if len(f) != 4 || f[0] != "want" {
				t.Fatalf("title %q is not: want code line words", title)
			}
			line, _ := strconv.Atoi(f[2])
			_, err = Simulate(context.Background(), Request{Netlist: string(text)})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("no *Error but %v", err)
			}
			if string(e.Code) != f[1] || e.Line != line || !strings.Contains(e.Detail, f[3]) {
				t.Errorf("got  %s %d %s\nwant %s %d ...%s...", e.Code, e.Line, e.Detail, f[1], line, f[3])
			}
		})
	}
}
