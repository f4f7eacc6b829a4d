package pool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"slipstick/tools"
)

// minChildMemory is the minimum memory limit of a child in bytes. The Go runtime does not start
// with much less.
const minChildMemory = 1 << 30

// addressSpaceSlack is the address space in bytes that a Go process reserves but does not use.
const addressSpaceSlack = 1 << 30

// stderrLines is the maximum number of lines from a child's standard error that are logged per job.
// A fatal error prints the stack of every goroutine.
const stderrLines = 80

// Options configures a Pool. Command is required.
type Options struct {
	// Command is the command line of a child process that calls RunChild.
	Command []string
	// Memory limits the memory of a child in bytes; 0 means no limit. Values below 1 GiB are raised
	// to 1 GiB.
	Memory int64
	// MaxResult is the maximum size of a result's JSON in bytes.
	MaxResult int
	Log       *slog.Logger
}

// Pool runs computations in child processes, which it starts on demand and reuses. It has one child
// per concurrent Run. Pool implements Runner.
type Pool struct {
	opt Options
	env []string

	logConfinement sync.Once
	share          coreShare

	mu     sync.Mutex
	idle   []*subprocess
	closed bool
}

// inheritedVars returns the environment variables that a child inherits. They configure the Go
// runtime; other variables may be secrets.
func inheritedVars() []string {
	return []string{"GOMAXPROCS", "GOGC", "GODEBUG", "GOTRACEBACK", "TZ"}
}

// garbagePercent is the GOGC value of a child with a memory limit. The child collects garbage less
// often than by default because the limit bounds the memory, not the growth of the heap.
const garbagePercent = 400

// New returns a Pool without children.
func New(opt Options) *Pool {
	c := &Pool{opt: opt, env: []string{}}
	for _, name := range inheritedVars() {
		if value, ok := os.LookupEnv(name); ok {
			c.env = append(c.env, name+"="+value)
		}
	}
	if memory := opt.Memory; memory > 0 {
		memory = max(memory, minChildMemory)
		if _, set := os.LookupEnv("GOGC"); !set {
			c.env = append(c.env, "GOGC="+strconv.Itoa(garbagePercent))
		}
		c.env = append(c.env,
			"GOMEMLIMIT="+strconv.FormatInt(memory*9/10, 10),
			addressSpaceEnv+"="+strconv.FormatInt(memory+addressSpaceSlack, 10))
	}
	return c
}

// subprocess is one child process. Only one Run uses it at a time.
type subprocess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	frames chan received // closed when the child has ended
	gone   chan struct{} // closed after frames, when how is set
	killed chan struct{}
	once   sync.Once // closes killed
	how    string    // how the child ended
	lines  *lineLog
	jobs   int // number of jobs sent
}

// received is a frame from the child, with the result that may follow it.
type received struct {
	replyFrame
	result []byte
}

// Run implements Runner.
func (c *Pool) Run(ctx context.Context, job Call, report func(tools.Progress)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	p, err := c.get()
	if err != nil {
		return Outcome{}, err
	}
	p.lines.restart()
	p.jobs++
	cores := c.share.begin()
	defer c.share.end()
	order := childJob{
		Number: p.jobs, Tool: job.Tool, Body: job.Body, TimeoutMS: 1 << 40,
		MaxResult: c.opt.MaxResult,
		Gzip:      true,
		Cores:     cores,
	}
	if deadline, ok := ctx.Deadline(); ok {
		order.TimeoutMS = max(1, time.Until(deadline).Milliseconds())
	}
	// Sending runs concurrently because a child that does not read must not delay the deadline.
	sent, isSent := make(chan struct{}), false
	go func() {
		isSent = writeJSON(p.in, jobFrame{Job: &order}) == nil
		close(sent)
	}()
	send := func(f jobFrame) {
		if <-sent; isSent {
			_ = writeJSON(p.in, f) // after an error the child has ended, which closes frames
		}
	}

	ctxDone, stopEarly := ctx.Done(), tools.StopSignal(ctx)
	var kill <-chan time.Time
	for {
		select {
		case f, ok := <-p.frames:
			if !ok {
				<-p.gone
				if ctx.Err() != nil {
					return Outcome{}, ctx.Err()
				}
				return Outcome{}, &CrashError{How: p.how}
			}
			switch {
			case f.Number != order.Number:
			case f.Progress != nil:
				report(*f.Progress)
			case f.endsJob():
				return c.endJob(ctx, p, f)
			}
		case <-ctxDone:
			ctxDone = nil
			timer := time.NewTimer(KillGrace)
			defer timer.Stop()
			kill = timer.C
			go send(jobFrame{Cancel: order.Number}) // loss is harmless: the kill follows
		case <-stopEarly:
			stopEarly = nil
			go send(jobFrame{StopEarly: order.Number})
		case <-kill:
			p.kill()
			return Outcome{}, ctx.Err()
		}
	}
}

// endsJob reports whether a frame is the last one of its job.
func (f *received) endsJob() bool {
	return f.Panic != "" || f.Error != "" || f.Stopped || f.Outcome != nil
}

// endJob returns the outcome in the last frame of a job. The child becomes idle, or is killed
// after a panic.
func (c *Pool) endJob(ctx context.Context, p *subprocess, f received) (Outcome, error) {
	if f.Panic != "" {
		p.kill()
		return Outcome{}, &CrashError{How: f.Panic}
	}
	c.put(p)
	switch {
	case f.Error != "":
		return Outcome{}, errors.New(f.Error)
	case f.Stopped:
		if ctx.Err() == nil { // the clock of the child was ahead of this one
			<-ctx.Done()
		}
		return Outcome{}, ctx.Err()
	}
	o := f.Outcome
	out := Outcome{
		Result: f.result, FieldErrors: o.FieldErrors, Failure: o.Failure, Cause: o.Cause,
		ComputeMS: o.ComputeMS,
	}
	if out.Gzipped = o.Gzipped; out.Gzipped != nil {
		out.Gzipped.Data, out.Result = f.result, nil
	}
	return out, nil
}

// get returns a living child, preferably an idle one.
func (c *Pool) get() (*subprocess, error) {
	c.mu.Lock()
	for len(c.idle) > 0 {
		p := c.idle[len(c.idle)-1]
		c.idle = c.idle[:len(c.idle)-1]
		select {
		case <-p.gone:
			continue
		default:
			c.mu.Unlock()
			return p, nil
		}
	}
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return nil, errors.New("the pool is closed")
	}
	return c.start()
}

// put returns a child to the pool for the next Run.
func (c *Pool) put(p *subprocess) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		p.stop()
		return
	}
	c.idle = append(c.idle, p)
}

// Close ends the idle children. A child in use ends with its Run.
func (c *Pool) Close() {
	c.mu.Lock()
	idle := c.idle
	c.idle, c.closed = nil, true
	c.mu.Unlock()
	for _, p := range idle {
		p.stop()
	}
}

func (c *Pool) start() (*subprocess, error) {
	cmd := exec.Command(c.opt.Command[0], c.opt.Command[1:]...)
	cmd.Env = c.env
	cmd.SysProcAttr = newProcessGroup() // a keyboard interrupt must reach only the parent
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a child process: %w", err)
	}
	p := &subprocess{
		cmd: cmd, in: in, frames: make(chan received), gone: make(chan struct{}),
		killed: make(chan struct{}), lines: &lineLog{log: c.opt.Log.With("child", cmd.Process.Pid)},
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.lines.copy(stderr) })
	readers.Go(func() { p.read(out, c.opt.MaxResult, c.confined) })
	go func() {
		readers.Wait()
		err := cmd.Wait()
		p.how = "the child process ended"
		if err != nil {
			p.how = err.Error()
		}
		close(p.gone)
	}()
	return p, nil
}

// Warm starts a first child, so the log shows early which protections apply.
func (c *Pool) Warm() {
	p, err := c.get()
	if err != nil {
		c.opt.Log.Error("no child process can be started", "error", err)
		return
	}
	c.put(p)
}

// confined logs the protections of the children once.
func (c *Pool) confined(f replyFrame) {
	c.logConfinement.Do(func() {
		c.opt.Log.Info("child processes are confined", "protections", f.Protections)
		if f.Unprotected != "" {
			c.opt.Log.Warn("child processes lack protections", "why", f.Unprotected)
		}
	})
}

// read decodes the output of the child. It kills a child whose output is invalid.
func (p *subprocess) read(out io.Reader, maxResult int, confined func(replyFrame)) {
	defer close(p.frames)
	r := bufio.NewReaderSize(out, 64<<10)
	for {
		var f received
		if err := readJSON(r, &f.replyFrame); err != nil {
			break
		}
		if f.Protections != nil {
			confined(f.replyFrame)
			continue
		}
		if f.Outcome != nil && f.Outcome.HasResult {
			var err error
			if f.result, err = readFrame(r); err != nil || len(f.result) > maxResult {
				break
			}
			if z := f.Outcome.Gzipped; z != nil && !z.Valid(len(f.result), maxResult) {
				break
			}
		}
		select {
		case p.frames <- f:
			continue
		case <-p.killed: // no Run reads frames any longer
		}
		break
	}
	p.kill()
	_, _ = io.Copy(io.Discard, r) // allows Wait to end
}

func (p *subprocess) kill() {
	p.once.Do(func() { close(p.killed) })
	_ = p.cmd.Process.Kill() // the process may already have ended
	_ = p.in.Close()
}

// stop closes the input of an idle child, which then exits, and kills it after a timeout.
func (p *subprocess) stop() {
	_ = p.in.Close()
	select {
	case <-p.gone:
	case <-time.After(2 * KillGrace):
		p.kill()
		<-p.gone
	}
}
