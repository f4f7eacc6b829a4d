package keys

import (
	"errors"
	"fmt"
	"time"
)

// ErrUnavailable is wrapped in the errors that are returned while the key store or the counter
// store is unavailable. These errors also wrap the cause.
var ErrUnavailable = errors.New(
	"the store of API keys or of call counts cannot be reached or refuses writes",
)

// InvalidTokenError is returned for an invalid JWT.
type InvalidTokenError struct {
	Reason string // one sentence that contains no part of the token
}

// Error returns the reason.
func (e *InvalidTokenError) Error() string { return e.Reason }

// InvalidKeyError is returned for an unknown, expired or revoked key.
type InvalidKeyError struct {
	Reason string // one sentence
}

// Error returns the reason.
func (e *InvalidKeyError) Error() string { return e.Reason }

// LimitError is returned for a call that exceeds a limit.
type LimitError struct {
	Policy     string // name of the policy in RateLimit headers: "day", "burst" or "issue"
	Allowance  Allowance
	RetryAfter time.Duration
	Reason     string // one sentence with the limit, its reset time, and the remedy
}

// Error returns the reason and the time until a retry may succeed.
func (e *LimitError) Error() string {
	return e.Reason + "; try again in " + formatDuration(e.RetryAfter)
}

// formatDuration formats a duration for users, rounded up: "3 s", "12 min", "19 h 33 min".
func formatDuration(d time.Duration) string {
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
