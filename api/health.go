package api

import (
	"context"
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
	Ready    bool          `json:"ready" doc:"Whether requests should be sent here"`
	Draining bool          `json:"draining" doc:"The process is being stopped"`
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

// ready says whether requests should come here: 503 names what is missing.
func (s *Server) ready(c *fiber.Ctx) error {
	checks := s.opt.Ready
	if s.opt.Queue != nil {
		checks = append([]Check{{Name: "queue", Ready: s.opt.Queue.Ready}}, checks...)
	}
	r := Readiness{Draining: s.draining.Load(), Checks: s.ask(c.UserContext(), checks)}
	r.Ready = !r.Draining
	for i, k := range r.Checks {
		r.Ready = r.Ready && (k.Ready || checks[i].Optional)
	}
	c.Set(fiber.HeaderCacheControl, "no-store")
	if !r.Ready {
		c.Status(fiber.StatusServiceUnavailable)
	}
	return writeJSON(c, r)
}

// ask asks all at once, so that one that hangs does not hide the others. A check that ignores
// its context is left behind.
func (s *Server) ask(ctx context.Context, checks []Check) []CheckResult {
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
			if err != nil {
				s.opt.Log.Warn("not ready", "check", k.Name, "error", err)
			}
			results[i] = CheckResult{k.Name, err == nil}
		})
	}
	all.Wait()
	return results
}
