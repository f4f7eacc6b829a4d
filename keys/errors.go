package keys

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnavailable says that keys cannot be looked up or issued now. The cause is wrapped beside it.
var ErrUnavailable = errors.New("the store of API keys cannot be reached")

// BadTokenError says why a JWT is not accepted.
type BadTokenError struct {
	Reason string // one sentence, without any part of the token
}

// Error is the reason.
func (e *BadTokenError) Error() string { return e.Reason }

// UnknownKeyError says that a key is not good, and why in words that help its holder.
type UnknownKeyError struct {
	Reason string // one sentence
}

// Error is the reason.
func (e *UnknownKeyError) Error() string { return e.Reason }

// LimitError says that a limit is used up.
type LimitError struct {
	Name       string // of the policy: "day" or "burst"
	Allowance  Allowance
	RetryAfter time.Duration
	Reason     string // one sentence: which limit, when it ends, what helps
}

// Error is the reason.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s; try again in %d s", e.Reason, int(e.RetryAfter.Seconds()+0.5))
}
