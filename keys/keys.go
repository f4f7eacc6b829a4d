package keys

import (
	"context"
	"net/netip"
	"time"
)

// Tier is the service level of a caller.
type Tier string

// The tiers of the specification, and Anonymous for callers without a key.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Developer Tier = "developer"
	Network   Tier = "network"
	Agent     Tier = "agent"
)

// Paid reports whether calls of the tier are metered instead of limited.
func (t Tier) Paid() bool { return t == Developer || t == Network || t == Agent }

// DailyLimit is the number of calls per day; 0: no limit.
func (t Tier) DailyLimit() int {
	switch t {
	case Anonymous:
		return 200
	case Free:
		return 5000
	}
	return 0
}

// TTL is the lifetime of a key of the tier.
func (t Tier) TTL() time.Duration {
	if t.Paid() {
		return 30 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Caller is the sender of a request.
type Caller struct {
	Key     string     // the API key as it was sent; "" for none
	Address netip.Addr // of the client, as trusted proxies forward it
}

// Outcome is the end of an admitted call.
type Outcome string

// The outcomes. Calls that are Computed or Invalid count; those with a ServerError are refunded.
const (
	Computed    Outcome = "computed"
	Invalid     Outcome = "invalid"
	ServerError Outcome = "unserved"
)

// Allowance is the state of a limit after a call.
type Allowance struct {
	Limit     int // calls in the window; 0: no limit
	Remaining int
	Window    time.Duration // 24 h, except for rate and issuance limits
	Reset     time.Time     // of the limit; for a day 00:00 UTC
}

// Reservation is a call that is debited from the quota of its caller. Commit must be called once
// after the call, before its answer is sent; for a ServerError it refunds.
type Reservation struct {
	Tier        Tier
	QuotaKey    string // identifies the subject of the quota; it is not disclosed
	Group       string // has one turn and one cap in the queues: address with free keys, or subject
	Allowance   Allowance
	MaxInFlight int // bounds the unfinished jobs; 0: the bound of the queue
	Commit      func(ctx context.Context, tool string, outcome Outcome, compute time.Duration) error
	// Debit is the debit that a BatchQuota makes for the reservation. Then there is no Commit.
	Debit Debit
}

// Debit is a debit of calls that any process can make, void and finalize with a BatchQuota.
type Debit struct {
	Prefix  string    `json:"prefix"`  // of the key; "": nothing is recorded
	Counter string    `json:"counter"` // debited counter; "": the tier has no limit
	Calls   int       `json:"calls"`
	Expires time.Time `json:"expires"` // of the counter
}

// DebitUsage is the usage of the calls of a Debit, once they have ended.
type DebitUsage struct {
	Tool              string
	Computed, Invalid int           // calls that count; the others are refunded
	Compute           time.Duration // of all calls
}

// BatchQuota debits the calls of batches, which outlive the process that accepts them. The id of a
// batch identifies its debit for a day.
type BatchQuota interface {
	// Prepare authenticates a caller and returns a reservation, whose Debit is not made yet.
	// Errors: *InvalidKeyError, ErrUnavailable.
	Prepare(ctx context.Context, caller Caller, calls int) (*Reservation, error)
	// Debit makes the debit of a reservation, once, and sets its Allowance. Errors: *LimitError;
	// ErrUnavailable for a void debit, or when it is unknown whether the debit was made.
	Debit(ctx context.Context, id string, r *Reservation) error
	// Void refunds a debit if it was made. It cannot be made afterwards. Errors: ErrUnavailable.
	Void(ctx context.Context, id string, d Debit) error
	// Finalize refunds the calls of a debit that did not take place, and records the others. A
	// debit is finalized once: further calls with the same id within a day change nothing. It
	// returns ErrUnavailable when the counts cannot be stored.
	Finalize(ctx context.Context, id string, d Debit, s DebitUsage) error
}

// CallFunc is a call of a synchronous tool. It returns the outcome and the computing time.
type CallFunc func(ctx context.Context) (Outcome, time.Duration)

// Quota authenticates callers, counts the calls per day, and records usage.
type Quota interface {
	// Reserve debits calls from the caller's daily quota. Errors: *InvalidKeyError, *LimitError,
	// ErrUnavailable.
	Reserve(ctx context.Context, caller Caller, calls int) (*Reservation, error)
	// Run makes one call of a synchronous tool. It may make the call before the debit, so that the
	// debit and the record are one step. After an error, which is one of Reserve or of Commit, the
	// caller must discard the result.
	Run(ctx context.Context, caller Caller, tool string, call CallFunc) (CallResult, error)
	// DailyLimit is the number of calls per day of a tier; 0: no limit.
	DailyLimit(Tier) int
}

// CallResult is the tier, the remaining quota and the outcome of a call.
type CallResult struct {
	Tier      Tier
	Allowance Allowance
	Outcome   Outcome
}

// ReserveAndRun reserves, makes and commits a call in this order, as for queued tools.
func ReserveAndRun(
	ctx context.Context, reserve func(context.Context, Caller, int) (*Reservation, error),
	caller Caller, tool string, call CallFunc,
) (CallResult, error) {
	r, err := reserve(ctx, caller, 1)
	if err != nil {
		return CallResult{}, err
	}
	outcome, compute := call(ctx)
	return CallResult{r.Tier, r.Allowance, outcome}, r.Commit(ctx, tool, outcome, compute)
}

// IssuanceLimiter bounds the free keys per address.
type IssuanceLimiter interface {
	// Allow counts one key of the address. Errors: *LimitError; ErrUnavailable when the key cannot
	// be counted.
	Allow(ctx context.Context, address netip.Addr) error
}
