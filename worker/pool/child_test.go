package pool

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"slipstick/tools"
	"slipstick/worker/internal/workertest"
)

// TestChildEndsWithItsWorker verifies that a child in an endless loop exits when its input is
// closed, as happens when its worker dies.
func TestChildEndsWithItsWorker(t *testing.T) {
	t.Parallel()
	argv := childCommand()
	cmd := exec.Command(argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	trace := workertest.TraceFile(t)
	job := childJob{Number: 1, Tool: "spin", Body: fmt.Appendf(nil, `{"trace": %q}`, trace),
		TimeoutMS: 60_000}
	if err := writeJSON(in, jobFrame{Job: &job}); err != nil {
		t.Fatal(err)
	}
	workertest.Eventually(t, testTimeout, "the loop to begin", func() bool {
		return workertest.Runs(trace) == 1
	})
	// A service manager signals the whole process group of the worker; the child must ignore this.
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	in.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the child ended with %v", err)
		}
	case <-time.After(testTimeout):
		t.Error("the child continues after its worker")
	}
}

func TestChildConversation(t *testing.T) {
	t.Parallel()
	toIn, in := io.Pipe()
	out, fromOut := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- RunChild(context.Background(), workertest.Catalog(), toIn, fromOut) }()
	send := func(number int, name, input string, timeout int64) {
		job := childJob{Number: number, Tool: name, Body: []byte(input), TimeoutMS: timeout,
			MaxResult: 1 << 20, Gzip: true}
		if err := writeJSON(in, jobFrame{Job: &job}); err != nil {
			t.Fatal(err)
		}
	}
	receive := func() replyFrame {
		var f replyFrame
		if err := readJSON(out, &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	send(1, "noop", `{"n": 4}`, 1000)
	f := receive()
	result, err := readFrame(out)
	if err != nil || f.Number != 1 || f.Outcome == nil ||
		string(result) != `{"n":4,"text":"","warnings":[]}` {
		t.Fatalf("%+v, %s, %v", f, result, err)
	}
	send(6, "big", `{"n": 160000}`, 1000)
	f = receive()
	packed, err := readFrame(out)
	if err != nil || f.Number != 6 || f.Outcome.Gzipped == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	large, err := io.ReadAll(z)
	if err != nil || !strings.HasPrefix(string(large), `{"n":160000,"text":"0123`) ||
		int64(len(large)) != f.Outcome.Gzipped.Size ||
		!f.Outcome.Gzipped.Valid(len(packed), 1<<20) {
		t.Errorf("%v, %d bytes, %+v", err, len(large), f.Outcome.Gzipped)
	}
	send(2, "sleep", `{"ms": 60000}`, 60_000)
	if err := writeJSON(in, jobFrame{Cancel: 1}); err != nil { // cancels the previous job late
		t.Fatal(err)
	}
	if err := writeJSON(in, jobFrame{Cancel: 2}); err != nil {
		t.Fatal(err)
	}
	if f := receive(); !f.Stopped || f.Number != 2 {
		t.Fatalf("%+v", f)
	}
	send(3, "tired", `{}`, 20)
	if f := receive(); !f.Stopped {
		t.Fatalf("%+v", f)
	}
	send(4, "nothing_of_the_kind", `{}`, 1000)
	if f := receive(); f.Error == "" {
		t.Fatalf("%+v", f)
	}
	send(5, "crash", `{"how": "panic"}`, 1000)
	if f := receive(); !strings.Contains(f.Panic, "as asked") {
		t.Fatalf("%+v", f)
	}
	var crash *CrashError
	if err := <-ended; !errors.As(err, &crash) {
		t.Errorf("after a panic the child ended with %v", err)
	}
}

func TestChildrenStayWarm(t *testing.T) {
	t.Parallel()
	c := New(Options{Command: childCommand(), MaxResult: 1 << 20, Log: workertest.Log(t)})
	defer c.Close()
	run := func(name, input string, limit time.Duration) (Outcome, error) {
		ctx, done := context.WithTimeout(context.Background(), limit)
		defer done()
		return c.Run(ctx, Call{Tool: name, Body: []byte(input)}, func(tools.Progress) {})
	}
	for range 3 {
		if _, err := run("noop", `{}`, testTimeout); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.idle) != 1 {
		t.Fatalf("%d children for one job after the other", len(c.idle))
	}
	first := c.idle[0]
	if _, err := run("tired", `{}`, 30*time.Millisecond); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if _, err := run("noop", `{}`, testTimeout); err != nil {
		t.Fatal(err)
	}
	if c.idle[0] != first {
		t.Error("a child that stopped as told was replaced")
	}
	begun := time.Now()
	if _, err := run("spin", `{}`, 30*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if d := time.Since(begun); d < KillGrace || d > 5*time.Second {
		t.Errorf("an endless loop was killed after %v", d)
	}
	var crash *CrashError
	if _, err := run("crash", `{"how": "exit"}`, testTimeout); !errors.As(err, &crash) ||
		!strings.Contains(crash.How, "exit status 3") {
		t.Errorf("a child that ended itself: %v", err)
	}
	if _, err := run("noop", `{}`, testTimeout); err != nil || c.idle[0] == first {
		t.Errorf("after the crash: %v", err)
	}
	missing := New(Options{Command: []string{"/nowhere/slipstick"}, MaxResult: 1 << 20,
		Log: workertest.Log(t)})
	if _, err := missing.Run(context.Background(), Call{Tool: "noop"}, nil); err == nil ||
		errors.As(err, &crash) {
		t.Errorf("a child that cannot be started: %v", err)
	}
}

func FuzzReadFrame(f *testing.F) {
	for _, s := range []string{"", "\x00\x00\x00\x02{}", "\xff\xff\xff\xff", "\x00\x00\x00\x05{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		body, err := readFrame(bytes.NewReader(b))
		if err == nil && (len(b) < 4 || uint32(len(body)) != binary.BigEndian.Uint32(b)) {
			t.Errorf("%d bytes read from %q", len(body), b)
		}
	})
}
