//go:build linux

package pcb

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"slipstick/tools"
)

// watched is a context that records the longest CPU time of its thread between two polls of the
// context.
type watched struct {
	context.Context
	polls         int
	last, longest time.Duration
	phase, behind string // current phase, and phase of the longest interval
}

func (c *watched) Err() error {
	const thread = 1 // RUSAGE_THREAD
	var u syscall.Rusage
	if syscall.Getrusage(thread, &u) != nil {
		return nil
	}
	now := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	if d := now - c.last; c.polls > 0 && d > c.longest {
		c.longest, c.behind = d, c.phase
	}
	c.polls++
	c.last = now
	return nil
}

// TestContextPolls verifies that a layout of 104 parts polls its context often enough to end
// within 100 ms of a cancellation. It measures the thread's CPU time, on which the load of the
// machine has little effect. A layout that exceeds the limit is repeated up to twice: another
// process on the same core slows the thread too.
func TestContextPolls(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("..", "..", "examples", "boards",
		"audio_mixer_8ch.json"))
	if err != nil {
		t.Fatal(err)
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var c *watched
	for range 3 {
		c = &watched{Context: context.Background()}
		ctx := tools.WithProgress(c, func(p tools.Progress) { c.phase = p.Phase })
		if _, err := PCBLayout.Run(ctx, body); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d polls, at most %v apart (%s)", c.polls, c.longest, c.behind)
		if c.longest <= 100*time.Millisecond {
			break
		}
	}
	if c.polls < 1000 || c.longest > 100*time.Millisecond {
		t.Errorf("%d polls of the context, %v between two of them in %s", c.polls,
			c.longest, c.behind)
	}
}
