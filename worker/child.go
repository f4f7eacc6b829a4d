package worker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"sync"
	"syscall"
	"time"

	"slipstick/tools"
)

// addressSpaceEnv carries the limit of a child's address space in bytes.
const addressSpaceEnv = "SLIPSTICK_CHILD_ADDRESS_SPACE"

// RunChild is the main function of a child process: it runs the jobs that arrive on in, one at
// a time, and answers on out, until in ends or ctx does. in ends when the worker dies, and then
// a computation still going on must not keep the process: the caller exits when RunChild
// returns. What the child has to say in words goes to standard error, as JSON lines of slog. When
// out is the process's standard output, the process is confined before the first job.
func RunChild(ctx context.Context, catalog *tools.Catalog, in io.Reader, out io.Writer) error {
	return runChild(ctx, catalog, in, out, out == os.Stdout)
}

func runChild(ctx context.Context, catalog *tools.Catalog, in io.Reader, out io.Writer, confined bool) error {
	if out == os.Stdout { // so this is the process's whole life
		os.Stdout = os.Stderr // a stray print in a tool must not look like a frame
		// A service manager signals the whole group; the worker decides when its children end.
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if limit, err := strconv.ParseUint(os.Getenv(addressSpaceEnv), 10, 64); err == nil && limit > 0 {
		if err := limitAddressSpace(limit); err != nil {
			log.Warn("the child's memory could not be limited", "error", err)
		}
	}
	c := &child{catalog: catalog, log: log, out: bufio.NewWriterSize(out, 64<<10)}
	if confined {
		active, err := confine()
		hello := replyFrame{Protections: append([]string{"environment"}, active...)}
		if err != nil {
			hello.Unprotected = err.Error()
		}
		if err := c.answer(hello, nil); err != nil {
			return err
		}
	}
	frames, broken := make(chan jobFrame), make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			var f jobFrame
			if err := readJSON(r, &f); err != nil {
				broken <- err
				return
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return
			}
		}
	}()

	var cancelJob context.CancelFunc = func() {}
	tellEnough := func() {}
	number := 0
	ended := make(chan error, 1)
	for {
		select {
		case f := <-frames:
			if f.Job == nil {
				switch number {
				case f.Cancel:
					cancelJob()
				case f.Enough:
					tellEnough()
				}
				continue
			}
			cancelJob() // the last one has ended: the worker sends one at a time
			number = f.Job.Number
			var jobCtx context.Context
			jobCtx, cancelJob = context.WithTimeout(ctx, time.Duration(f.Job.TimeoutMS)*time.Millisecond)
			enough := make(chan struct{})
			tellEnough = sync.OnceFunc(func() { close(enough) })
			jobCtx = tools.WithStopSignal(jobCtx, enough)
			go func() { ended <- c.do(jobCtx, *f.Job) }()
		case err := <-ended:
			if err != nil {
				cancelJob()
				return err
			}
		case err := <-broken:
			cancelJob()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading from the worker: %w", err)
		case <-ctx.Done():
			cancelJob()
			return ctx.Err()
		}
	}
}

// child is the state of RunChild.
type child struct {
	catalog *tools.Catalog
	log     *slog.Logger

	mu  sync.Mutex // progress comes from the computation's goroutines
	out *bufio.Writer
}

// do runs a job and answers. The error ends the child: after a panic its memory is not to be
// trusted, and when nobody reads the answer there is nothing to live for.
func (c *child) do(ctx context.Context, job childJob) error {
	throttled := time.Time{}
	report := func(p tools.Progress) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if time.Since(throttled) < progressEvery/4 && p.Percent < 100 {
			return
		}
		throttled = time.Now()
		if err := writeJSON(c.out, replyFrame{Number: job.Number, Progress: &p}); err == nil {
			_ = c.out.Flush() // the worker is gone when this fails, which the reader notices
		}
	}
	out, err := evaluate(tools.WithProgress(ctx, report), c.catalog, call{job.Tool, job.Body}, job.MaxResult, c.log)
	var crash *crashError
	switch {
	case errors.As(err, &crash):
		return errors.Join(c.answer(replyFrame{Number: job.Number, Panic: crash.how}, nil), err)
	case err != nil && ctx.Err() != nil:
		return c.answer(replyFrame{Number: job.Number, Stopped: true}, nil)
	case err != nil:
		return c.answer(replyFrame{Number: job.Number, Error: err.Error()}, nil)
	}
	o := &childOutcome{Faults: out.FieldErrors, Failure: out.Failure, Cause: out.Cause, ComputeMS: out.ComputeMS, HasResult: out.Result != nil}
	return c.answer(replyFrame{Number: job.Number, Outcome: o}, out.Result)
}

func (c *child) answer(f replyFrame, result []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := writeJSON(c.out, f); err != nil {
		return err
	}
	if result != nil {
		if err := writeFrame(c.out, result); err != nil {
			return err
		}
	}
	return c.out.Flush()
}
