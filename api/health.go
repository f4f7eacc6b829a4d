package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Check is something the service needs, asked by /readyz.
type Check struct {
	Name  string // as /readyz shows it: postgres
	Ready func(context.Context) error
	// Optional: its state is shown, but requests should be sent here without it too.
	Optional bool
}

// Health is what /healthz answers.
type Health struct {
	Status  string `json:"status" enum:"ok" doc:"ok: the process is alive"`
	Version string `json:"version" doc:"The program's version"`
}

// Readiness is what /readyz answers.
type Readiness struct {
	Ready    bool          `json:"ready" doc:"Whether requests should be sent here: light tools are served"`
	Draining bool          `json:"draining" doc:"The process is being stopped"`
	Degraded bool          `json:"degraded" doc:"A check failed: what needs that part answers 503"`
	Checks   []CheckResult `json:"checks" doc:"What the service needs"`
}

// CheckResult is how one Check went. The error itself is in the log: it may hold addresses.
type CheckResult struct {
	Name  string `json:"name" doc:"What was asked"`
	Ready bool   `json:"ready" doc:"Whether it answered"`
}

// readyTime is how long a dependency may take to say that it is there.
const readyTime = 2 * time.Second

// health says that the process is alive, and nothing about what it depends on: restarting it
// would not bring a database back.
func (s *Server) health(c *fiber.Ctx) error {
	return writeJSON(c, Health{Status: "ok", Version: s.opt.Version})
}

// checks are the service's needs. Without the queue the heavy tools answer 503; the light ones are
// served, so that the instance must stay behind its address.
func (s *Server) checks() []Check {
	if s.opt.Queue == nil {
		return s.opt.Ready
	}
	return append([]Check{{Name: "queue", Ready: s.opt.Queue.Ready, Optional: true}}, s.opt.Ready...)
}

// Ready says whether requests should come here: not while the server drains.
func (s *Server) Ready(context.Context) error {
	if s.draining.Load() {
		return errors.New("the server is being stopped")
	}
	return nil
}

// ready says whether requests should come here: 503 when light tools are not served.
func (s *Server) ready(c *fiber.Ctx) error {
	checks := s.checks()
	r := Readiness{Draining: s.draining.Load(), Checks: s.runChecks(c.UserContext(), checks)}
	r.Ready = !r.Draining
	for i, k := range r.Checks {
		r.Ready = r.Ready && (k.Ready || checks[i].Optional)
		r.Degraded = r.Degraded || !k.Ready
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if !r.Ready {
		c.Status(fiber.StatusServiceUnavailable)
	}
	return writeJSON(c, r)
}

// runChecks asks all at once, so that one that hangs does not hide the others. A check that ignores
// its context is left behind.
func (s *Server) runChecks(ctx context.Context, checks []Check) []CheckResult {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	results := make([]CheckResult, len(checks))
	var all sync.WaitGroup
	for i, k := range checks {
		all.Go(func() {
			answer := make(chan error, 1)
			go func() { answer <- k.Ready(ctx) }()
			var err error
			select {
			case err = <-answer:
			case <-ctx.Done():
				err = ctx.Err()
			}
			s.logCheckChange(k.Name, err)
			results[i] = CheckResult{k.Name, err == nil}
		})
	}
	all.Wait()
	return results
}

// logCheckChange logs when a check begins to fail, and when it succeeds again.
func (s *Server) logCheckChange(name string, err error) {
	if err != nil {
		if _, failed := s.failing.Swap(name, true); !failed {
			s.opt.Log.Warn("a check fails", "check", name, "error", err)
		}
		return
	}
	if _, failed := s.failing.LoadAndDelete(name); failed {
		s.opt.Log.Info("a check succeeds again", "check", name)
	}
}
