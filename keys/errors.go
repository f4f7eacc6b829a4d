package keys

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnavailable says that keys cannot be looked up or issued now. The cause is wrapped beside it.
var ErrUnavailable = errors.New("the store of API keys cannot be reached")

// InvalidTokenError says why a JWT is not accepted.
type InvalidTokenError struct {
	Reason string // one sentence, without any part of the token
}

// Error is the reason.
func (e *InvalidTokenError) Error() string { return e.Reason }

// InvalidKeyError says that a key is not good, and why in words that help its holder.
type InvalidKeyError struct {
	Reason string // one sentence
}

// Error is the reason.
func (e *InvalidKeyError) Error() string { return e.Reason }

// LimitError says that a limit is used up.
type LimitError struct {
	Name       string // of the policy: "day" or "burst"
	Allowance  Allowance
	RetryAfter time.Duration
	Reason     string // one sentence: which limit, when it ends, what helps
}

// Error is the reason, and when to try again.
func (e *LimitError) Error() string { return e.Reason + "; try again in " + inWords(e.RetryAfter) }

// inWords writes a duration for people, rounded up: "3 s", "12 min", "19 h 33 min".
func inWords(d time.Duration) string {
	s := max(1, int((d+time.Second-1)/time.Second))
	minutes := (s + 59) / 60
	switch {
	case s < 120:
		return fmt.Sprintf("%d s", s)
	case minutes < 120:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
}
