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

// admit lets calls in on the account of whoever sent the request. credential is the API key as
// it was sent, wherever this endpoint takes it from. Without a Gate everybody is let in.
func (s *Server) admit(c *fiber.Ctx, credential string, calls int) (*keys.Pass, error) {
	if s.opt.Gate == nil {
		return &openPass, nil
	}
	return s.opt.Gate.Admit(c.UserContext(), keys.Visitor{Key: credential, Address: s.clientAddress(c)}, calls)
}

// openPass is everybody's where nothing is counted.
var openPass = keys.Pass{
	Tier:   keys.Anonymous,
	Settle: func(context.Context, string, keys.Outcome, time.Duration) error { return nil },
}

// classOf is the queue that calls under a pass enter.
func classOf(p *keys.Pass) worker.Class {
	switch {
	case p.Tier.Paid():
		return worker.Paid
	case p.Tier == keys.Free:
		return worker.Free
	}
	return worker.Anonymous
}

// outcomeOf says what a call's error means for its account.
func outcomeOf(err error) keys.Outcome {
	var input *tools.InputError
	switch {
	case err == nil, errors.Is(err, errGone): // who hangs up has used the service all the same
		return keys.Computed
	case errors.As(err, &input), failureOf(err).status < 500:
		return keys.Invalid
	default:
		return keys.Unserved
	}
}
