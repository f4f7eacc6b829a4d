package api

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
)

// Check is a readiness check of a dependency. /readyz runs it.
type Check struct {
	Name  string // name in /readyz, such as "postgres"
	Ready func(context.Context) error
	// Optional marks a check that is reported but does not affect readiness.
	Optional bool
}

// Health is the response of /healthz.
type Health struct {
	Status  string `json:"status" enum:"ok" doc:"ok: the process is alive"`
	Version string `json:"version" doc:"The program's version"`
}

// Readiness is the response of /readyz.
type Readiness struct {
	Ready    bool          `json:"ready" doc:"Whether synchronous tools are served"`
	Draining bool          `json:"draining" doc:"The process is being stopped"`
	Degraded bool          `json:"degraded" doc:"A check failed: requests that need this dependency get 503"`
	Checks   []CheckResult `json:"checks" doc:"The dependencies"`
}

// CheckResult is the result of a Check. The error is only logged because it may contain addresses.
type CheckResult struct {
	Name  string `json:"name" doc:"Name of the dependency"`
	Ready bool   `json:"ready" doc:"Whether it is available"`
}

// readyTime is the time limit of a Check.
const readyTime = 2 * time.Second

// health handles GET /healthz. It ignores dependencies because restarting this process would not
// repair them.
func (s *Server) health(c *fiber.Ctx) error {
	return writeJSON(c, Health{Status: "ok", Version: s.opt.Version})
}

// checks returns the readiness checks. The check of the queue is optional: if it fails, queued
// tools return 503 but other tools still work.
func (s *Server) checks() []Check {
	if s.opt.Queue == nil {
		return s.opt.Ready
	}
	return append([]Check{{Name: "queue", Ready: s.opt.Queue.Ready, Optional: true}},
		s.opt.Ready...)
}

// Ready returns an error while the server drains. It can serve as the Ready function of a Check.
func (s *Server) Ready(context.Context) error {
	if s.draining.Load() {
		return errors.New("the server is being stopped")
	}
	return nil
}

// ready handles GET /readyz: 503 while synchronous tools are unavailable.
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

// runChecks runs all checks concurrently, so a slow check does not delay the others. A check that
// does not return within readyTime counts as failed, even if it ignores its context.
func (s *Server) runChecks(ctx context.Context, checks []Check) []CheckResult {
	ctx, cancel := context.WithTimeout(ctx, readyTime)
	defer cancel()
	results := make([]CheckResult, len(checks))
	var all sync.WaitGroup
	for i, k := range checks {
		all.Go(func() {
			result := make(chan error, 1)
			go func() { result <- k.Ready(ctx) }()
			var err error
			select {
			case err = <-result:
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

// logCheckChange logs the first failure of a check and the first success after it.
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
