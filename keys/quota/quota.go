// Package quota authenticates callers, debits the daily quota of the key or the IP address, and
// records usage.
package quota

import (
	"context"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"

	"slipstick/keys"
	"slipstick/keys/usage"
)

// KeyLookup finds the record of a key as it was sent. Errors: *keys.InvalidKeyError for a key that
// is not good.
type KeyLookup interface {
	Lookup(ctx context.Context, key string) (keys.Record, error)
}

// Options set up a Gate. Keys and Ledger are needed.
type Options struct {
	Keys   KeyLookup
	Ledger *usage.Counter
	// Limits are calls a day; a tier that is not named has none.
	Limits map[keys.Tier]int
	Now    func() time.Time // time.Now
}

// Limiter implements keys.Quota. It is safe for concurrent use.
type Limiter struct {
	opt       Options
	exhausted exhausted
	today     atomic.Pointer[day]
}

var _ keys.Quota = (*Limiter)(nil)

// New makes a Gate.
func New(o Options) *Limiter {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Limiter{opt: o, exhausted: exhausted{counters: map[string]bool{}}}
}

// subject is on whose day a call goes.
type subject struct {
	tier    keys.Tier
	prefix  string     // of its key; "" for none
	owner   string     // of its key: the JWT subject; "" for a free key
	address netip.Addr // of the caller
}

// group names who shares a turn and a cap in the queues: the keys of a subject, or an address with
// the free keys that it uses.
func (a subject) group() string {
	switch {
	case !a.tier.Paid():
		return string(keys.AppendPrefixKey([]byte("address:"), a.address))
	case a.owner != "":
		return "owner:" + a.owner
	}
	return a.quotaKey()
}

// quotaKey names the account among all accounts.
func (a subject) quotaKey() string { return string(a.appendQuotaKey(nil)) }

func (a subject) appendQuotaKey(b []byte) []byte {
	if a.prefix != "" {
		return append(append(b, "key:"...), a.prefix...)
	}
	return keys.AppendPrefixKey(append(b, "address:"...), a.address)
}

// authenticate says on whose day a visitor's calls go.
func (g *Limiter) authenticate(ctx context.Context, who keys.Caller) (subject, error) {
	if who.Key == "" {
		return subject{tier: keys.Anonymous, address: who.Address}, nil
	}
	record, err := g.opt.Keys.Lookup(ctx, who.Key)
	if err != nil {
		return subject{}, err
	}
	return subject{tier: record.Tier, prefix: record.Prefix, owner: record.Owner, address: who.Address}, nil
}

// DailyLimit implements keys.Quota.
func (g *Limiter) DailyLimit(t keys.Tier) int { return g.opt.Limits[t] }

// Reserve implements keys.Quota. With no calls it only says who the visitor is.
func (g *Limiter) Reserve(ctx context.Context, who keys.Caller, calls int) (*keys.Reservation, error) {
	a, err := g.authenticate(ctx, who)
	if err != nil {
		return nil, err
	}
	pass := &keys.Reservation{Tier: a.tier, QuotaKey: a.quotaKey(), Group: a.group()}
	limit := g.opt.Limits[a.tier]
	if limit == 0 {
		pass.Commit = g.commit(a, nil)
		return pass, nil
	}
	now := g.opt.Now()
	if calls == 0 {
		pass.Allowance = g.day(now).allowance(limit)
		pass.Commit = g.commit(a, nil)
		return pass, nil
	}
	t := g.debitAt(a, calls, now)
	if pass.Allowance, err = g.debit(ctx, a, t, limit, now, keys.UsageRecord{}); err != nil {
		return nil, err
	}
	pass.Commit = g.commit(a, &t)
	return pass, nil
}

// Run implements keys.Quota. The call is made first, unless its account was used up when last
// seen: whoever is refused cannot have much computed.
func (g *Limiter) Run(ctx context.Context, who keys.Caller, tool string, call keys.CallFunc) (keys.CallResult, error) {
	a, err := g.authenticate(ctx, who)
	if err != nil {
		return keys.CallResult{}, err
	}
	limit := g.opt.Limits[a.tier]
	if limit == 0 {
		outcome, compute := call(ctx)
		return keys.CallResult{Tier: a.tier, Outcome: outcome}, g.record(ctx, a, tool, outcome, compute)
	}
	if g.exhausted.any() && g.exhausted.has(g.debitAt(a, 1, g.opt.Now()).counter) {
		return keys.ReserveAndRun(ctx, g.Reserve, who, tool, call)
	}
	outcome, compute := call(ctx)
	if outcome == keys.ServerError { // it takes nothing, but only for those whose day is not over
		return keys.ReserveAndRun(ctx, g.Reserve, who, tool, func(context.Context) (keys.Outcome, time.Duration) { return outcome, compute })
	}
	now := g.opt.Now()
	left, err := g.debit(ctx, a, g.debitAt(a, 1, now), limit, now, g.usageOf(a, tool, outcome, compute, now))
	return keys.CallResult{Tier: a.tier, Allowance: left, Outcome: outcome}, err
}

// debit takes calls from a day, and records a use if there was room.
func (g *Limiter) debit(ctx context.Context, a subject, t debit, limit int, now time.Time, u keys.UsageRecord) (keys.Allowance, error) {
	left := g.day(now).allowance(limit)
	grant, err := g.opt.Ledger.DebitAndRecord(ctx, t.counter, int64(limit), t.calls, t.life, u)
	if err != nil {
		return left, fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	left.Remaining = max(0, limit-int(grant.Used))
	g.exhausted.set(t.counter, !grant.Admitted)
	if !grant.Admitted {
		return left, &keys.LimitError{Name: "day", Allowance: left, RetryAfter: left.Reset.Sub(now), Reason: g.limitReason(a, left, t.calls)}
	}
	return left, nil
}

// day is a day, UTC.
type day struct {
	begins, ends time.Time
	date         string // 2026-01-31
}

// day gives the day of a moment.
func (g *Limiter) day(now time.Time) *day {
	d := g.today.Load()
	if d == nil || now.Before(d.begins) || !now.Before(d.ends) {
		begins := now.UTC().Truncate(24 * time.Hour)
		d = &day{begins: begins, ends: begins.AddDate(0, 0, 1), date: begins.Format(time.DateOnly)}
		g.today.Store(d)
	}
	return d
}

// allowance is that of the day, with nothing known of what is left.
func (d *day) allowance(limit int) keys.Allowance {
	return keys.Allowance{Limit: limit, Window: 24 * time.Hour, Reset: d.ends}
}

// counterTTL is how long after a day began its counters are kept: calls are given back late.
const counterTTL = 25 * time.Hour

// debit is what a call took from a day.
type debit struct {
	counter string
	calls   int64
	life    time.Duration
}

// debitAt is what calls of an account take at a moment.
func (g *Limiter) debitAt(a subject, calls int, now time.Time) debit {
	d := g.day(now)
	var buf [64]byte
	counter := a.appendQuotaKey(append(append(buf[:0], d.date...), ':'))
	return debit{counter: string(counter), calls: int64(calls), life: d.begins.Add(counterTTL).Sub(now)}
}

// usageOf is what a call used; of an account without a key, nothing.
func (g *Limiter) usageOf(a subject, tool string, outcome keys.Outcome, compute time.Duration, now time.Time) keys.UsageRecord {
	if a.prefix == "" {
		return keys.UsageRecord{}
	}
	return keys.UsageRecord{
		Prefix: a.prefix, Tool: tool, Day: g.day(now).begins, Outcome: outcome,
		Calls: 1, ComputeMS: float64(compute.Nanoseconds()) / 1e6, LastUsed: now,
	}
}

// commit makes the end of a call: what the service did not serve is given back, and what a key
// used is recorded. The call falls on the day on which it ended.
func (g *Limiter) commit(a subject, t *debit) func(context.Context, string, keys.Outcome, time.Duration) error {
	return func(ctx context.Context, tool string, outcome keys.Outcome, compute time.Duration) error {
		if t != nil && outcome == keys.ServerError {
			if err := g.opt.Ledger.Refund(ctx, t.counter, t.calls, t.life); err != nil {
				return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
			}
		}
		return g.record(ctx, a, tool, outcome, compute)
	}
}

// record has it counted what a call used.
func (g *Limiter) record(ctx context.Context, a subject, tool string, outcome keys.Outcome, compute time.Duration) error {
	if a.prefix == "" {
		return nil
	}
	if err := g.opt.Ledger.Record(ctx, g.usageOf(a, tool, outcome, compute, g.opt.Now())); err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	return nil
}

// limitReason says which limit is used up and what helps.
func (g *Limiter) limitReason(a subject, left keys.Allowance, calls int64) string {
	whose, help := "this key", "a paid key has no daily limit"
	if a.prefix == "" {
		whose, help = "without a key your address", fmt.Sprintf("a free key from POST /api/keys has %d calls a day", g.opt.Limits[keys.Free])
	}
	if left.Remaining > 0 {
		return fmt.Sprintf("%s has %d of its %d calls of today left, and this request needs %d; the day ends at 00:00 UTC; %s", whose, left.Remaining, left.Limit, calls, help)
	}
	return fmt.Sprintf("%s has used its %d calls of today; the day ends at 00:00 UTC; %s", whose, left.Limit, help)
}

// FreeKeysPerHour is how many free keys an address may have in any Window.
const (
	FreeKeysPerHour = 5
	IssuanceWindow  = time.Hour
)

// IssuanceLimiter limits how often an address is given a free key.
type IssuanceLimiter struct {
	Book usage.Store
	Now  func() time.Time
}

// Allow counts an issue to an address. Errors: *keys.LimitError when it had enough;
// keys.ErrUnavailable when that cannot be known.
func (i *IssuanceLimiter) Allow(ctx context.Context, address netip.Addr) error {
	now := i.Now()
	wait, err := i.Book.AllowWithin(ctx, "issue:"+keys.PrefixKey(address), FreeKeysPerHour, IssuanceWindow, now)
	if err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	if wait > 0 {
		return &keys.LimitError{
			Name: "issue", RetryAfter: wait, Allowance: keys.Allowance{Limit: FreeKeysPerHour, Window: IssuanceWindow, Reset: now.Add(wait)},
			Reason: fmt.Sprintf("your address has had %d free keys within an hour, which is as many as one address may have", FreeKeysPerHour),
		}
	}
	return nil
}
