// Package ngspice runs ngspice, the reference simulator of the tests, and parses its output. Only
// tests import it.
package ngspice

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Program returns the path of ngspice. If ngspice is not installed, Program skips the test, or
// fails it if SLIPSTICK_REQUIRE_INTEGRATION=1.
func Program(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("ngspice")
	if err == nil {
		return path
	}
	if os.Getenv("SLIPSTICK_REQUIRE_INTEGRATION") == "1" {
		t.Fatal("ngspice is not installed, and SLIPSTICK_REQUIRE_INTEGRATION=1 asks for it")
	}
	t.Skip(
		"NOT COMPARED: ngspice is not in PATH (Debian package ngspice); the results were not checked against the oracle",
	)
	return ""
}

// Simulate runs the analysis of a netlist. It returns the raw file for Read, and the printed
// output. It returns an error if ngspice fails.
func Simulate(program, netlist string) (raw []byte, printed string, err error) {
	err = inFolder(netlist, func(dir string) error {
		// ngspice deletes and recreates the file of -r, so the raw file cannot be a pipe.
		printed, err = batch(program, dir, "-r", "a.raw")
		if err == nil && strings.Contains(printed, "aborted") {
			err = errors.New("it gave up")
		}
		if err == nil {
			raw, err = os.ReadFile(filepath.Join(dir, "a.raw"))
		}
		if err != nil {
			return fmt.Errorf("ngspice: %w: %s", err, errorLines(printed))
		}
		return nil
	})
	return raw, printed, err
}

// SimulateWith is a variant of Simulate with a limit on processor time and with init as the content
// of .spiceinit. Unlike elapsed time, processor time does not depend on the load of the machine.
// The limit is rounded down to whole seconds, at least one. The error wraps ErrProcessorTime if the
// run exceeds the limit, and ErrCrash if ngspice crashes.
func SimulateWith(limit time.Duration, program, init, netlist string) (raw []byte, err error) {
	err = inFolder(netlist, func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, ".spiceinit"), []byte(init), 0o600); err != nil {
			return err
		}
		cmd := exec.Command("sh", "-c", `ulimit -t "$1"; exec "$2" -b -r a.raw a.cir`, "sh",
			strconv.Itoa(max(1, int(limit.Seconds()))), program)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if w, ok := status(cmd); ok && w.Signaled() {
			// The kernel kills a program at its limit. Its clock samples the running programs, so
			// the measured time can differ from the limit.
			used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			if w.Signal() == syscall.SIGKILL && used >= limit/2 {
				return fmt.Errorf("ngspice: %w of %s", ErrProcessorTime, limit)
			}
			return fmt.Errorf("ngspice: %w: %s", ErrCrash, w.Signal())
		}
		if err == nil && strings.Contains(string(out), "aborted") {
			err = errors.New("it gave up")
		}
		if err == nil {
			raw, err = os.ReadFile(filepath.Join(dir, "a.raw"))
		}
		if err != nil {
			return fmt.Errorf("ngspice: %w: %s", err, errorLines(string(out)))
		}
		return nil
	})
	return raw, err
}

// status returns the wait status of a program. It returns false if the program did not start or the
// system has no such status.
func status(cmd *exec.Cmd) (syscall.WaitStatus, bool) {
	if cmd.ProcessState == nil {
		return 0, false
	}
	w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return w, ok
}

// ErrCrash is returned if a signal ended ngspice, for example a segmentation fault.
var ErrCrash = errors.New("it crashed")

// ErrProcessorTime is returned if SimulateWith ended a run at its processor time limit.
var ErrProcessorTime = errors.New("stopped at its processor time")

// Print runs a netlist and returns the output of its .measure and .four cards and of its .control
// block. ngspice prints this output only without a raw file. .four uses 4000 points per period
// instead of 200. A failed measurement is missing from the output but is not an error.
func Print(program, netlist string) (printed string, err error) {
	err = inFolder(netlist, func(dir string) error {
		if err := os.WriteFile(filepath.Join(dir, ".spiceinit"), []byte("set fourgridsize=4000\n"),
			0o600); err != nil {
			return err
		}
		printed, err = batch(program, dir)
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			return nil // status 1: a measurement failed
		}
		return err
	})
	return printed, err
}

func inFolder(netlist string, do func(dir string) error) error {
	dir, err := os.MkdirTemp("", "ngspice")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.cir"), []byte(netlist), 0o600); err != nil {
		return err
	}
	return do(dir)
}

func batch(program, dir string, args ...string) (printed string, err error) {
	cmd := exec.Command(program, append(append([]string{"-b"}, args...), "a.cir")...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// errorLines returns the lines that report errors, separated by semicolons.
func errorLines(printed string) string {
	var out []string
	for l := range strings.Lines(printed) {
		if low := strings.ToLower(l); strings.Contains(low, "error") ||
			strings.Contains(low, "timestep") || strings.Contains(low, "singular") {
			out = append(out, strings.TrimSpace(l))
		}
	}
	return strings.Join(out, "; ")
}

var (
	measureLine = regexp.MustCompile(`(?m)^(\w+) += +([-+0-9.eE]+)`)
	thdLine     = regexp.MustCompile(
		`Fourier analysis for (\S+):\s+No. Harmonics: \d+, THD: (\S+) %`)
)

// Measures returns the results of .measure cards in the output of Print, by name. Angles are in
// radians.
func Measures(printed string) map[string]float64 {
	made := numbers(measureLine, printed)
	delete(made, "Stack") // belongs to the memory report
	return made
}

// THD returns the total harmonic distortion of each vector in the .four output of Print, in
// percent.
func THD(printed string) map[string]float64 { return numbers(thdLine, printed) }

func numbers(line *regexp.Regexp, text string) map[string]float64 {
	found := map[string]float64{}
	for _, m := range line.FindAllStringSubmatch(text, -1) {
		if v, err := strconv.ParseFloat(m[2], 64); err == nil {
			found[m[1]] = v
		}
	}
	return found
}
