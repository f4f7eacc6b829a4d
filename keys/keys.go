package keys

import (
	"context"
	"net/netip"
	"time"
)

// Tier is the service level of a caller.
type Tier string

// Tiers of API keys, and Anonymous for callers without a key.
const (
	Anonymous Tier = "anonymous"
	Free      Tier = "free"
	Developer Tier = "developer"
	Network   Tier = "network"
	Agent     Tier = "agent"
)

// Paid reports whether calls of the tier are metered rather than limited.
func (t Tier) Paid() bool { return t == Developer || t == Network || t == Agent }

// DailyLimit returns the maximum number of calls per day; 0 means no limit.
func (t Tier) DailyLimit() int {
	switch t {
	case Anonymous:
		return 200
	case Free:
		return 5000
	}
	return 0
}

// TTL returns the lifetime of a key of the tier.
func (t Tier) TTL() time.Duration {
	if t.Paid() {
		return 30 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Caller is the sender of a request.
type Caller struct {
	Key     string     // API key as sent by the client; "" for none
	Address netip.Addr // client address, as forwarded by trusted proxies
}

// Outcome is the outcome of an admitted call.
type Outcome string

// Outcomes of a call. Calls with the outcome Computed or Invalid count. Calls with a ServerError
// are refunded.
const (
	Computed    Outcome = "computed"
	Invalid     Outcome = "invalid"
	ServerError Outcome = "unserved"
)

// Allowance is the state of a limit after a call.
type Allowance struct {
	Limit     int // calls per window; 0: no limit
	Remaining int
	Window    time.Duration // 24 h, except for rate and issuance limits
	Reset     time.Time     // end of the window; for a daily limit 00:00 UTC
}

// Reservation is a debit of calls from the quota of their caller. Commit must be called exactly
// once after the calls, before the response is sent. With a ServerError it refunds the calls.
type Reservation struct {
	Tier        Tier
	QuotaKey    string // identifies the subject of the quota; must not be disclosed
	Group       string // group that shares a turn and a limit in the queues
	Allowance   Allowance
	MaxInFlight int // maximum number of unfinished jobs; 0: the limit of the queue
	Commit      func(ctx context.Context, tool string, outcome Outcome, compute time.Duration) error
	// Debit is the debit that BatchQuota.Debit makes for a reservation of BatchQuota.Prepare.
	// Commit is nil in such a reservation.
	Debit Debit
}

// Debit is a debit of calls that any process can make, void and finalize through a BatchQuota.
type Debit struct {
	Prefix  string    `json:"prefix"`  // of the key; "": nothing is recorded
	Counter string    `json:"counter"` // debited counter; "": the tier has no limit
	Calls   int       `json:"calls"`
	Expires time.Time `json:"expires"` // of the counter
}

// DebitUsage is the usage of the calls of a Debit after they have ended.
type DebitUsage struct {
	Tool              string
	Computed, Invalid int           // calls that count; all other calls are refunded
	Compute           time.Duration // computing time of all calls
}

// BatchQuota debits the calls of batches, which outlive the process that accepts them. The id of a
// batch identifies its debit for one day.
type BatchQuota interface {
	// Prepare authenticates a caller and returns a reservation without making its Debit. It returns
	// *InvalidKeyError or ErrUnavailable.
	Prepare(ctx context.Context, caller Caller, calls int) (*Reservation, error)
	// Debit makes the debit of a reservation at most once and sets its Allowance. It returns a
	// *LimitError if the quota is exhausted. It returns ErrUnavailable if the debit is void, or if
	// it is unknown whether the debit was made.
	Debit(ctx context.Context, id string, r *Reservation) error
	// Void refunds a debit if it was made, and prevents it from being made later. It returns
	// ErrUnavailable if the counter store is unavailable.
	Void(ctx context.Context, id string, d Debit) error
	// Finalize refunds the calls of a debit that did not take place and records the others. Further
	// calls with the same id within a day have no effect. Finalize returns ErrUnavailable if the
	// counts cannot be stored.
	Finalize(ctx context.Context, id string, d Debit, s DebitUsage) error
}

// CallFunc executes a call of a synchronous tool. It returns the outcome and the computing time.
type CallFunc func(ctx context.Context) (Outcome, time.Duration)

// Quota authenticates callers, counts calls per day and records usage.
type Quota interface {
	// Reserve debits calls from the caller's daily quota. It returns *InvalidKeyError, *LimitError
	// or ErrUnavailable.
	Reserve(ctx context.Context, caller Caller, calls int) (*Reservation, error)
	// Run executes a call of a synchronous tool. It may execute the call before the debit so that
	// one step makes the debit and adds the record. It returns the errors of Reserve and Commit;
	// after an error, the caller must discard the result.
	Run(ctx context.Context, caller Caller, tool string, call CallFunc) (CallResult, error)
	// DailyLimit returns the maximum number of calls per day of a tier; 0 means no limit.
	DailyLimit(Tier) int
}

// CallResult contains the tier, the remaining quota and the outcome of a call.
type CallResult struct {
	Tier      Tier
	Allowance Allowance
	Outcome   Outcome
}

// ReserveAndRun reserves, executes and commits a call in this order, which Quota.Run need not do.
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

// IssuanceLimiter limits the free keys per address.
type IssuanceLimiter interface {
	// Allow counts one key for the address. It returns a *LimitError, or ErrUnavailable if the key
	// cannot be counted.
	Allow(ctx context.Context, address netip.Addr) error
}
