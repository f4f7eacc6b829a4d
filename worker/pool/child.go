package pool

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
	"slipstick/worker/gzipped"
)

// addressSpaceEnv is the environment variable with the limit of a child's address space in bytes.
const addressSpaceEnv = "SLIPSTICK_CHILD_ADDRESS_SPACE"

// progressEvery is the minimum interval between progress frames.
const progressEvery = 25 * time.Millisecond

// RunChild is the main function of a child process. It reads jobs from in, runs them one at a time
// and writes replies to out, until in reaches EOF or ctx is cancelled. in reaches EOF when the
// parent dies. The caller must exit when RunChild returns, so no computation outlives the parent.
// RunChild logs to standard error as JSON. If out is the standard output of the process, RunChild
// confines the process before the first job.
func RunChild(ctx context.Context, catalog *tools.Catalog, in io.Reader, out io.Writer) error {
	confined := out == os.Stdout
	if confined {
		os.Stdout = os.Stderr // output printed by tools must not corrupt the frames
		// A service manager signals the whole process group, but the parent decides when its
		// children end.
		signal.Ignore(os.Interrupt, syscall.SIGTERM)
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if limit, err := strconv.ParseUint(os.Getenv(addressSpaceEnv), 10, 64); err == nil &&
		limit > 0 {
		if err := limitAddressSpace(limit); err != nil {
			log.Warn("the child's memory could not be limited", "error", err)
		}
	}
	c := &child{
		catalog: catalog, log: log, out: bufio.NewWriterSize(out, 64<<10),
		gzip: gzipped.NewCompressor(),
	}
	if confined {
		active, err := confine()
		first := replyFrame{Protections: append([]string{"environment"}, active...)}
		if err != nil {
			first.Unprotected = err.Error()
		}
		if err := c.reply(first, nil); err != nil {
			return err
		}
	}
	return c.serve(ctx, in)
}

// readFrames sends the frames of the parent to frames until ctx is cancelled. It sends an error of
// reading to broken, which is io.EOF when the parent has closed the pipe.
func readFrames(ctx context.Context, in io.Reader, frames chan<- jobFrame, broken chan<- error) {
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
}

// child is the state of RunChild.
type child struct {
	catalog *tools.Catalog
	log     *slog.Logger
	gzip    *gzipped.Compressor

	mu  sync.Mutex // progress comes from the goroutines of a computation
	out *bufio.Writer
}

// serve runs the jobs of the parent, one at a time, until in reaches EOF or ctx is cancelled.
func (c *child) serve(ctx context.Context, in io.Reader) error {
	frames, broken := make(chan jobFrame), make(chan error, 1)
	go readFrames(ctx, in, frames, broken)

	var cancelJob context.CancelFunc = func() {}
	signalStopEarly := func() {}
	number := 0
	ended := make(chan error, 1)
	for {
		select {
		case f := <-frames:
			if f.Job == nil {
				switch number {
				case f.Cancel:
					cancelJob()
				case f.StopEarly:
					signalStopEarly()
				}
				continue
			}
			cancelJob() // frees the context of the previous job, which has ended
			number = f.Job.Number
			var jobCtx context.Context
			jobCtx, cancelJob = context.WithTimeout(ctx,
				time.Duration(f.Job.TimeoutMS)*time.Millisecond)
			stopEarly := make(chan struct{})
			signalStopEarly = sync.OnceFunc(func() { close(stopEarly) })
			jobCtx = tools.WithStopSignal(jobCtx, stopEarly)
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
			return fmt.Errorf("reading from the parent process: %w", err)
		case <-ctx.Done():
			cancelJob()
			return ctx.Err()
		}
	}
}

// do computes a job and writes the reply. An error ends the child: after a panic its memory may be
// corrupt, and if no reader is left, the parent has exited.
func (c *child) do(ctx context.Context, job childJob) error {
	lastReport := time.Time{}
	report := func(p tools.Progress) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if time.Since(lastReport) < progressEvery && p.Percent < 100 {
			return
		}
		lastReport = time.Now()
		if err := writeJSON(c.out, replyFrame{Number: job.Number, Progress: &p}); err == nil {
			_ = c.out.Flush() // if this fails, the parent has exited, and in reaches EOF
		}
	}
	ctx = tools.WithCores(tools.WithProgress(ctx, report), job.Cores)
	out, err := evaluate(ctx, c.catalog, Call{job.Tool, job.Body}, job.MaxResult, c.log)
	var crash *CrashError
	switch {
	case errors.As(err, &crash):
		return errors.Join(c.reply(replyFrame{Number: job.Number, Panic: crash.How}, nil), err)
	case err != nil && ctx.Err() != nil:
		return c.reply(replyFrame{Number: job.Number, Stopped: true}, nil)
	case err != nil:
		return c.reply(replyFrame{Number: job.Number, Error: err.Error()}, nil)
	}
	result := []byte(out.Result)
	var packed *gzipped.Result
	if job.Gzip && len(result) > gzipped.Above {
		if packed, err = c.gzip.Compress(result, job.Cores); err != nil {
			return c.reply(replyFrame{Number: job.Number, Error: err.Error()}, nil)
		}
		result = packed.Data
	}
	o := &childOutcome{
		FieldErrors: out.FieldErrors, Failure: out.Failure, Cause: out.Cause,
		ComputeMS: out.ComputeMS,
		HasResult: result != nil, Gzipped: packed,
	}
	return c.reply(replyFrame{Number: job.Number, Outcome: o}, result)
}

func (c *child) reply(f replyFrame, result []byte) error {
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
