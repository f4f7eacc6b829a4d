package api

import (
	"context"
	"errors"
	"time"

	"github.com/gofiber/fiber/v2"

	"slipstick/keys"
	"slipstick/tools"
	"slipstick/worker"
)

// headerKey carries an API key.
const headerKey = "X-Api-Key"

// visitor is whoever sent the request. credential is the API key as it was sent, wherever this
// endpoint takes it from.
func (s *Server) visitor(c *fiber.Ctx, credential string) keys.Caller {
	return keys.Caller{Key: credential, Address: s.clientAddress(c)}
}

// admit lets a call of a heavy tool in.
func (s *Server) admit(c *fiber.Ctx, tool *tools.Entry, credential string) (*keys.Reservation, error) {
	if err := s.holdHeavy(c, credential); err != nil {
		return nil, err
	}
	pass, err := s.opt.Gate.Reserve(c.UserContext(), s.visitor(c, credential), 1)
	if err != nil {
		return nil, err
	}
	s.release(c, tool, pass.Tier)
	return pass, nil
}

// callLight makes a call of a light tool on its sender's account, and says what it came to: to
// the sender, the metrics and the trace. After an error the call's result must be thrown away.
func (s *Server) callLight(c *fiber.Ctx, tool *tools.Entry, credential string, call keys.CallFunc) error {
	ctx, span := s.traced(c.UserContext(), c, tool.Name)
	began := time.Now()
	receipt, err := s.opt.Gate.Run(ctx, s.visitor(c, credential), tool.Name, call)
	if err != nil {
		failedSpan(span, err)
		span.End()
		return err
	}
	endSpan(span, receipt.Outcome)
	s.release(c, tool, receipt.Tier)
	s.metrics.called(tool.Name, receipt.Outcome, time.Since(began))
	s.showAllowance(c.Context(), receipt.Allowance, receipt.Outcome)
	return nil
}

// unlimitedQuota lets everybody in, uncounted.
type unlimitedQuota struct{}

func (unlimitedQuota) Reserve(context.Context, keys.Caller, int) (*keys.Reservation, error) {
	return &keys.Reservation{Tier: keys.Anonymous, Commit: uncounted}, nil
}

func (unlimitedQuota) Run(ctx context.Context, _ keys.Caller, _ string, call keys.CallFunc) (keys.CallResult, error) {
	outcome, _ := call(ctx)
	return keys.CallResult{Tier: keys.Anonymous, Outcome: outcome}, nil
}

func (unlimitedQuota) DailyLimit(keys.Tier) int { return 0 }

// uncounted is the end of a call that nobody counts.
func uncounted(context.Context, string, keys.Outcome, time.Duration) error { return nil }

// classOf is the queue that calls under a pass enter.
func classOf(p *keys.Reservation) worker.Priority {
	switch {
	case p.Tier.Paid():
		return worker.PriorityPaid
	case p.Tier == keys.Free:
		return worker.PriorityFree
	}
	return worker.PriorityAnonymous
}

// submissionOf is how a call under a pass enters the queue.
func submissionOf(p *keys.Reservation) worker.SubmitOptions {
	return worker.SubmitOptions{Priority: classOf(p), Caller: p.QuotaKey, Group: p.Group, MaxInFlight: p.MaxInFlight}
}

// outcomeOf says what a call's error means for its account.
func outcomeOf(err error) keys.Outcome {
	if err == nil {
		return keys.Computed
	}
	var input *tools.InputError
	switch {
	case errors.Is(err, errGone): // who hangs up has used the service all the same
		return keys.Computed
	case errors.As(err, &input), failureOf(err).status < 500:
		return keys.Invalid
	default:
		return keys.ServerError
	}
}
