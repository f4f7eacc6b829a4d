package keys

import (
	"context"
	"net/netip"
	"time"
)

// Tier is what a caller pays for, and with it what a caller may use.
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

// DailyLimit is how many calls a day the tier may make; 0: as many as it likes.
func (t Tier) DailyLimit() int {
	switch t {
	case Anonymous:
		return 200
	case Free:
		return 5000
	}
	return 0
}

// TTL is how long a key of the tier is good.
func (t Tier) TTL() time.Duration {
	if t.Paid() {
		return 30 * 24 * time.Hour
	}
	return 24 * time.Hour
}

// Caller is what a request shows of its sender.
type Caller struct {
	Key     string     // the API key as it was sent; "" for none
	Address netip.Addr // of the client, as far as trusted proxies vouch for it
}

// Outcome is how an admitted call ended.
type Outcome string

// The outcomes. Computed and Invalid calls count; Unserved ones, the service's own fault, are
// given back.
const (
	Computed    Outcome = "computed"
	Invalid     Outcome = "invalid"
	ServerError Outcome = "unserved"
)

// Allowance is where a limited caller stands after a call.
type Allowance struct {
	Limit     int // calls in the window; 0: no limit
	Remaining int
	Window    time.Duration // 24 h, but for bursts and the issue of keys
	Reset     time.Time     // when calls are there again; of a day: 00:00 UTC
}

// Reservation says on whose account an admitted call runs. Settle must be called once when the call
// has ended, and before its answer leaves.
type Reservation struct {
	Tier        Tier
	QuotaKey    string // names the account among all accounts: for whose job it is, never shown
	Group       string // shares one turn and one cap in the queues: address with free keys, or subject
	Allowance   Allowance
	MaxInFlight int // heavy jobs it may have unfinished; 0: as many as the queue allows anyone
	Commit      func(ctx context.Context, tool string, outcome Outcome, compute time.Duration) error
}

// CallFunc is a call of a light tool: it says how it ended and how long it computed.
type CallFunc func(ctx context.Context) (Outcome, time.Duration)

// Quota decides who may call the tools, counts the calls of a day, and records what they used.
type Quota interface {
	// Reserve takes that many calls from the visitor's day. Errors: *InvalidKeyError for a key that
	// is not (or no longer) good, *LimitError when the day or the burst is used up.
	Reserve(ctx context.Context, who Caller, calls int) (*Reservation, error)
	// Run makes one call of a tool that takes next to no time. It may be made before it is known
	// whether the day has room for it, so that it is taken and recorded in one step: after an error,
	// which may be any of Admit or of Settle, its result must be thrown away.
	Run(ctx context.Context, who Caller, tool string, call CallFunc) (CallResult, error)
	// DailyLimit is how many calls a day a tier may make here; 0: as many as it likes.
	DailyLimit(Tier) int
}

// CallResult says of a call that was made on whose account, how it ended, and what is left.
type CallResult struct {
	Tier      Tier
	Allowance Allowance
	Outcome   Outcome
}

// ReserveAndRun makes a call in the order in which long ones are made: admitted, made, settled.
func ReserveAndRun(ctx context.Context, admit func(context.Context, Caller, int) (*Reservation, error), who Caller, tool string, call CallFunc) (CallResult, error) {
	pass, err := admit(ctx, who, 1)
	if err != nil {
		return CallResult{}, err
	}
	outcome, compute := call(ctx)
	return CallResult{pass.Tier, pass.Allowance, outcome}, pass.Commit(ctx, tool, outcome, compute)
}

// IssuanceLimiter bounds how many free keys an address is given.
type IssuanceLimiter interface {
	// Allow counts one key for the address. Errors: *LimitError when the address had its share;
	// another one when it could not be counted.
	Allow(ctx context.Context, address netip.Addr) error
}
