package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/call"
	"slipstick/internal/text"
	"slipstick/tools"
)

// Limits of a sweep.
const (
	maxSweepPoints = 201
	maxSweepTime   = 5 * time.Second
	// pointsPerRun is the number of points that cost one token of the page's rate limit.
	pointsPerRun = 25
)

// sweepRequest is the body of a sweep: an input, a field and its values.
type sweepRequest struct {
	Input  map[string]json.RawMessage `json:"input"`
	Field  string                     `json:"field"`
	Values []float64                  `json:"values"`
}

// sweepPoint is the result for one value, or its error.
type sweepPoint struct {
	Result map[string]json.RawMessage `json:"result,omitempty"`
	Error  string                     `json:"error,omitempty"`
}

// sweepForPage handles POST /ui/sweep/{tool}: it runs a synchronous tool for several values of one
// field. A point contains only the scalar results, which suffice for a plot.
func (s *Server) sweepForPage(c *fiber.Ctx) error {
	tool, err := s.opt.Catalog.Find(c.Params("tool"))
	if err != nil {
		return err
	}
	if err := s.admitPage(c, c.Get(headerPageToken)); err != nil {
		return err
	}
	if err := checkMediaType(c); err != nil {
		return err
	}
	var req sweepRequest
	switch err := json.Unmarshal(c.Request().Body(), &req); {
	case err != nil:
		return newProblem(badRequest, "the body must be {input, field, values}")
	case tool.Heavy != nil:
		return newProblem(badRequest, "%s runs as a job and cannot be swept", tool.Name)
	case tool.Input.Field(req.Field) == nil:
		return newProblem(badRequest, "%s has no field %s", tool.Name, text.Truncate(req.Field, 60))
	case len(req.Values) == 0 || len(req.Values) > maxSweepPoints:
		return newProblem(badRequest, "a sweep has 1 to %d values", maxSweepPoints)
	}
	for range len(req.Values) / pointsPerRun {
		if err := s.checkRate(s.limiters.page, s.clientAddress(c.Context()),
			"computations of the page"); err != nil {
			return err
		}
	}
	ctx, stop := context.WithTimeout(c.UserContext(), maxSweepTime)
	defer stop()
	return writeJSON(c, map[string]any{"points": s.sweep(ctx, c, tool, req)})
}

// sweep makes one call per point and stops when ctx ends.
func (s *Server) sweep(
	ctx context.Context, c *fiber.Ctx, tool *tools.Entry, req sweepRequest,
) []sweepPoint {
	points, caller := make([]sweepPoint, 0, len(req.Values)), s.pageCaller(c)
	if req.Input == nil {
		req.Input = map[string]json.RawMessage{}
	}
	for _, v := range req.Values {
		req.Input[req.Field], _ = json.Marshal(v) // finite, because it was parsed from JSON
		body, _ := json.Marshal(req.Input)
		r, err := s.calls.Run(ctx, caller, tool.Tool, body, call.Options{})
		if ctx.Err() != nil {
			break
		}
		var p sweepPoint
		if err != nil {
			p.Error = toProblem(err).sentence()
		} else if err := json.Unmarshal(r.JSON, &p.Result); err == nil {
			for name, value := range p.Result {
				if value[0] == '{' || value[0] == '[' {
					delete(p.Result, name)
				}
			}
		}
		points = append(points, p)
	}
	return points
}
