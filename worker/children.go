package worker

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

// minChildMemory is the least a child is given; Go does not start in much less.
const minChildMemory = 1 << 30

// addressSpaceSlack is what a Go process reserves without using it.
const addressSpaceSlack = 1 << 30

// stderrLines bounds what a child's words can add to the log during one job: a fatal error
// prints every goroutine.
const stderrLines = 80

// processPool runs computations in child processes, which it starts when needed and keeps warm.
// How many there are at once is the caller's business: one per run.
type processPool struct {
	command   []string
	env       []string
	maxResult int
	log       *slog.Logger

	told sync.Once // says which protections are in force

	mu     sync.Mutex
	idle   []*subprocess
	closed bool
}

// passedOn are the variables of the environment that a child inherits: those of the Go runtime. The
// others may be secrets.
func passedOn() []string { return []string{"GOMAXPROCS", "GOGC", "GODEBUG", "GOTRACEBACK", "TZ"} }

func newProcessPool(command []string, memory int64, maxResult int, log *slog.Logger) *processPool {
	c := &processPool{command: command, maxResult: maxResult, log: log, env: []string{}}
	for _, name := range passedOn() {
		if value, ok := os.LookupEnv(name); ok {
			c.env = append(c.env, name+"="+value)
		}
	}
	if memory > 0 {
		memory = max(memory, minChildMemory)
		c.env = append(c.env,
			"GOMEMLIMIT="+strconv.FormatInt(memory*9/10, 10),
			addressSpaceEnv+"="+strconv.FormatInt(memory+addressSpaceSlack, 10))
	}
	return c
}

// subprocess is one child. It is used by one run at a time.
type subprocess struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	frames chan received // closed when the child is gone
	gone   chan struct{} // closed after that, when how is set
	killed chan struct{}
	once   sync.Once // closes killed
	how    string
	lines  *lineLog
	jobs   int // sent so far
}

// received is a frame from the child with the result that may follow it.
type received struct {
	replyFrame
	result []byte
}

func (c *processPool) run(ctx context.Context, job call, report func(tools.Progress)) (Outcome, error) {
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	p, err := c.get()
	if err != nil {
		return Outcome{}, err
	}
	p.lines.restart()
	p.jobs++
	order := childJob{Number: p.jobs, Tool: job.tool, Body: job.body, TimeoutMS: 1 << 40, MaxResult: c.maxResult}
	if deadline, ok := ctx.Deadline(); ok {
		order.TimeoutMS = max(1, time.Until(deadline).Milliseconds())
	}
	// A child that does not read must not hold up the deadline.
	sent, isSent := make(chan struct{}), false
	go func() {
		isSent = writeJSON(p.in, jobFrame{Job: &order}) == nil
		close(sent)
	}()
	wish := func(f jobFrame) {
		if <-sent; isSent {
			_ = writeJSON(p.in, f) // a child that is gone is noticed elsewhere
		}
	}

	ctxDone, enough := ctx.Done(), tools.StopSignal(ctx)
	var kill <-chan time.Time
	for {
		select {
		case f, ok := <-p.frames:
			if !ok {
				<-p.gone
				if ctx.Err() != nil {
					return Outcome{}, ctx.Err()
				}
				return Outcome{}, &crashError{how: p.how}
			}
			switch {
			case f.Number != order.Number:
			case f.Progress != nil:
				report(*f.Progress)
			case f.Panic != "":
				p.kill()
				return Outcome{}, &crashError{how: f.Panic}
			case f.Error != "":
				c.put(p)
				return Outcome{}, errors.New(f.Error)
			case f.Stopped:
				c.put(p)
				if ctx.Err() == nil { // its clock was a little ahead of ours
					<-ctx.Done()
				}
				return Outcome{}, ctx.Err()
			case f.Outcome != nil:
				c.put(p)
				o := f.Outcome
				return Outcome{Result: f.result, FieldErrors: o.Faults, Failure: o.Failure, Cause: o.Cause, ComputeMS: o.ComputeMS}, nil
			}
		case <-ctxDone:
			ctxDone = nil
			timer := time.NewTimer(killGrace)
			defer timer.Stop()
			kill = timer.C
			go wish(jobFrame{Cancel: order.Number}) // the kill follows anyhow
		case <-enough:
			enough = nil
			go wish(jobFrame{Enough: order.Number})
		case <-kill:
			p.kill()
			return Outcome{}, ctx.Err()
		}
	}
}

// get gives a living child, an idle one if there is any.
func (c *processPool) get() (*subprocess, error) {
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
		return nil, errors.New("the worker is shutting down")
	}
	return c.start()
}

// put keeps a child for the next run.
func (c *processPool) put(p *subprocess) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		p.stop()
		return
	}
	c.idle = append(c.idle, p)
}

func (c *processPool) close() {
	c.mu.Lock()
	idle := c.idle
	c.idle, c.closed = nil, true
	c.mu.Unlock()
	for _, p := range idle {
		p.stop()
	}
}

func (c *processPool) start() (*subprocess, error) {
	cmd := exec.Command(c.command[0], c.command[1:]...)
	cmd.Env = c.env
	cmd.SysProcAttr = apart() // an interrupt from the keyboard is the worker's to handle
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
		cmd: cmd, in: in, frames: make(chan received), gone: make(chan struct{}), killed: make(chan struct{}),
		lines: &lineLog{log: c.log.With("child", cmd.Process.Pid)},
	}
	var readers sync.WaitGroup
	readers.Go(func() { p.lines.copy(stderr) })
	readers.Go(func() { p.read(out, c.maxResult, c.confined) })
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

// warm starts a first child, so that the log says early how children are confined.
func (c *processPool) warm() {
	p, err := c.get()
	if err != nil {
		c.log.Error("no child process can be started", "error", err)
		return
	}
	c.put(p)
}

// confined says once in the log which protections are in force.
func (c *processPool) confined(f replyFrame) {
	c.told.Do(func() {
		c.log.Info("child processes are confined", "protections", f.Protections)
		if f.Unprotected != "" {
			c.log.Warn("child processes lack protections", "why", f.Unprotected)
		}
	})
}

// read turns the child's output into frames. What is not a frame kills the child.
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
		}
		select {
		case p.frames <- f:
			continue
		case <-p.killed: // nobody waits for its words
		}
		break
	}
	p.kill()
	_, _ = io.Copy(io.Discard, r) // so that Wait can end
}

func (p *subprocess) kill() {
	p.once.Do(func() { close(p.killed) })
	_ = p.cmd.Process.Kill() // it may have ended already
	_ = p.in.Close()
}

// stop lets an idle child end by itself: its input ends.
func (p *subprocess) stop() {
	_ = p.in.Close()
	select {
	case <-p.gone:
	case <-time.After(2 * killGrace):
		p.kill()
		<-p.gone
	}
}
