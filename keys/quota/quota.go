// Package quota authenticates callers, debits the daily quota of the key or the client address, and
// records usage. It also limits the issuance of free keys per client address.
package quota

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"slipstick/keys"
	"slipstick/keys/usage"
)

// KeyLookup returns the record of a key. It returns *keys.InvalidKeyError or keys.ErrUnavailable.
type KeyLookup interface {
	Lookup(ctx context.Context, key string) (keys.Record, error)
}

// Options configures a Limiter. Keys and Counter are required.
type Options struct {
	Keys    KeyLookup
	Counter *usage.Counter
	// Limits contains the maximum number of calls per day of each limited tier. A tier that is
	// missing has no limit.
	Limits map[keys.Tier]int
	Now    func() time.Time // default time.Now
}

// Limiter implements keys.Quota and keys.BatchQuota. It is safe for concurrent use.
type Limiter struct {
	opt       Options
	exhausted exhausted
}

var (
	_ keys.Quota      = (*Limiter)(nil)
	_ keys.BatchQuota = (*Limiter)(nil)
)

// New returns a Limiter.
func New(o Options) *Limiter {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Limiter{opt: o, exhausted: exhausted{counters: map[string]bool{}}}
}

// subject identifies the quota against which calls count: the quota of a key or of an address.
type subject struct {
	tier    keys.Tier
	prefix  string     // prefix of the subject's key, or ""
	owner   string     // owner of the key: the JWT subject; "" for a free key
	address netip.Addr // address of the caller
}

// group returns the group of the subject in the queues. All keys of an owner share one turn and one
// limit there, as do an address and its free keys.
func (a subject) group() string {
	switch {
	case !a.tier.Paid():
		return string(keys.AppendPrefixKey([]byte("address:"), a.address))
	case a.owner != "":
		return "owner:" + a.owner
	}
	return a.quotaKey()
}

// quotaKey returns a text that is unique to the subject.
func (a subject) quotaKey() string { return string(a.appendQuotaKey(nil)) }

func (a subject) appendQuotaKey(b []byte) []byte {
	if a.prefix != "" {
		return append(append(b, "key:"...), a.prefix...)
	}
	return keys.AppendPrefixKey(append(b, "address:"...), a.address)
}

// authenticate returns the subject of a caller.
func (g *Limiter) authenticate(ctx context.Context, caller keys.Caller) (subject, error) {
	if caller.Key == "" {
		return subject{tier: keys.Anonymous, address: caller.Address}, nil
	}
	record, err := g.opt.Keys.Lookup(ctx, caller.Key)
	if err != nil {
		return subject{}, err
	}
	return subject{
		tier: record.Tier, prefix: record.Prefix, owner: record.Owner, address: caller.Address,
	}, nil
}

// DailyLimit implements keys.Quota.
func (g *Limiter) DailyLimit(t keys.Tier) int { return g.opt.Limits[t] }

// Reserve implements keys.Quota. If calls is 0, it only authenticates.
func (g *Limiter) Reserve(
	ctx context.Context, caller keys.Caller, calls int,
) (*keys.Reservation, error) {
	a, err := g.authenticate(ctx, caller)
	if err != nil {
		return nil, err
	}
	r := &keys.Reservation{Tier: a.tier, QuotaKey: a.quotaKey(), Group: a.group()}
	limit := g.opt.Limits[a.tier]
	if limit == 0 {
		r.Commit = g.commit(a, nil)
		return r, nil
	}
	now := g.opt.Now()
	d, left := debitOf(a, limit, calls, now)
	if calls == 0 {
		r.Allowance = left
		r.Commit = g.commit(a, nil)
		return r, nil
	}
	if r.Allowance, err = g.debit(ctx, a, d, left, now); err != nil {
		return nil, err
	}
	r.Commit = g.commit(a, &d)
	return r, nil
}

// Prepare implements keys.BatchQuota.
func (g *Limiter) Prepare(
	ctx context.Context, caller keys.Caller, calls int,
) (*keys.Reservation, error) {
	a, err := g.authenticate(ctx, caller)
	if err != nil {
		return nil, err
	}
	r := &keys.Reservation{
		Tier: a.tier, QuotaKey: a.quotaKey(), Group: a.group(),
		Debit: keys.Debit{Prefix: a.prefix, Calls: calls},
	}
	if limit := g.opt.Limits[a.tier]; limit > 0 {
		now := g.opt.Now()
		d, left := debitOf(a, limit, calls, now)
		r.Allowance, r.Debit.Counter, r.Debit.Expires = left, d.Counter, now.Add(d.TTL)
	}
	return r, nil
}

// Debit implements keys.BatchQuota.
func (g *Limiter) Debit(ctx context.Context, id string, r *keys.Reservation) error {
	if r.Debit.Counter == "" {
		return nil
	}
	now := g.opt.Now()
	d := usage.Debit{
		Counter: r.Debit.Counter, Limit: int64(r.Allowance.Limit), Size: int64(r.Debit.Calls),
		TTL: max(time.Second, r.Debit.Expires.Sub(now)),
	}
	decision, err := g.opt.Counter.DebitOnce(ctx, debitWriter(id), d)
	if err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	a := subject{tier: r.Tier, prefix: r.Debit.Prefix}
	r.Allowance, err = g.decide(a, d, decision, r.Allowance, now)
	return err
}

// debitWriter returns the writer name for a debit and its void.
func debitWriter(id string) string { return "reserve:" + id }

// Void implements keys.BatchQuota.
func (g *Limiter) Void(ctx context.Context, id string, d keys.Debit) error {
	made, err := g.opt.Counter.Void(ctx, debitWriter(id))
	if err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	if !made {
		return nil
	}
	return g.Finalize(ctx, id, d, keys.DebitUsage{})
}

// Finalize implements keys.BatchQuota. The records count for the day on which Finalize is called.
func (g *Limiter) Finalize(ctx context.Context, id string, d keys.Debit, s keys.DebitUsage) error {
	now := g.opt.Now()
	b := &usage.Batch{Writer: "debit:" + id, Finalizes: debitWriter(id)}
	unused := d.Calls - s.Computed - s.Invalid
	if ttl := d.Expires.Sub(now); d.Counter != "" && unused > 0 && ttl > 0 {
		b.Adjustments = []usage.Adjustment{{Counter: d.Counter, Calls: int64(-unused), TTL: ttl}}
	}
	for outcome, calls := range map[keys.Outcome]int{keys.Computed: s.Computed,
		keys.Invalid: s.Invalid} {
		if calls == 0 || d.Prefix == "" {
			continue
		}
		u := usageOf(subject{prefix: d.Prefix}, s.Tool, outcome, 0, now)
		u.Calls = int64(calls)
		if outcome == keys.Computed || s.Computed == 0 {
			u.ComputeMS = float64(s.Compute.Microseconds()) / 1e3
		}
		b.Records = append(b.Records, u)
	}
	if err := g.opt.Counter.Apply(ctx, b); err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	return nil
}

// Run implements keys.Quota. It executes the call before the debit. If the last debit of the
// subject was rejected, it makes the debit first, so that calls beyond the quota are not executed.
func (g *Limiter) Run(
	ctx context.Context, caller keys.Caller, tool string, call keys.CallFunc,
) (keys.CallResult, error) {
	a, err := g.authenticate(ctx, caller)
	if err != nil {
		return keys.CallResult{}, err
	}
	limit := g.opt.Limits[a.tier]
	if limit == 0 {
		outcome, compute := call(ctx)
		return keys.CallResult{Tier: a.tier, Outcome: outcome},
			g.record(ctx, a, tool, outcome, compute)
	}
	now := g.opt.Now()
	d, left := debitOf(a, limit, 1, now)
	if g.exhausted.has(d.Counter) {
		return keys.ReserveAndRun(ctx, g.Reserve, caller, tool, call)
	}
	outcome, compute := call(ctx)
	// such a call is refunded, but rejected if the quota is exhausted
	if outcome == keys.ServerError {
		return keys.ReserveAndRun(ctx, g.Reserve, caller, tool,
			func(context.Context) (keys.Outcome, time.Duration) { return outcome, compute })
	}
	d.Record = usageOf(a, tool, outcome, compute, g.opt.Now())
	left, err = g.debit(ctx, a, d, left, now)
	return keys.CallResult{Tier: a.tier, Allowance: left, Outcome: outcome}, err
}

// debit debits calls and, if they are admitted, adds their record. left is the allowance of the
// day. debit returns it with Remaining set.
func (g *Limiter) debit(
	ctx context.Context, a subject, d usage.Debit, left keys.Allowance, now time.Time,
) (keys.Allowance, error) {
	decision, err := g.opt.Counter.Debit(ctx, d)
	if err != nil {
		return left, fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	return g.decide(a, d, decision, left, now)
}

// decide returns the allowance after a debit, and a *keys.LimitError if the debit was rejected.
func (g *Limiter) decide(a subject, d usage.Debit, decision usage.Decision, left keys.Allowance,
	now time.Time) (keys.Allowance, error) {
	left.Remaining = max(0, left.Limit-int(decision.Used))
	g.exhausted.set(d.Counter, !decision.Admitted)
	if !decision.Admitted {
		return left, &keys.LimitError{
			Policy: "day", Allowance: left, RetryAfter: left.Reset.Sub(now),
			Reason: g.limitReason(a, left, d.Size),
		}
	}
	return left, nil
}

// day is the window of the daily quota. Truncate(day) returns the start of the UTC day.
const day = 24 * time.Hour

// counterTTL is the TTL of a counter from the start of its day. It exceeds a day because refunds
// may be late.
const counterTTL = 25 * time.Hour

// debitOf returns the debit for a subject's calls at the given time, and the allowance of that day
// without Remaining.
func debitOf(a subject, limit, calls int, now time.Time) (usage.Debit, keys.Allowance) {
	begins := now.UTC().Truncate(day)
	var buf [64]byte
	counter := a.appendQuotaKey(append(begins.AppendFormat(buf[:0], time.DateOnly), ':'))
	d := usage.Debit{
		Counter: string(counter), Limit: int64(limit), Size: int64(calls),
		TTL: begins.Add(counterTTL).Sub(now),
	}
	return d, keys.Allowance{Limit: limit, Window: day, Reset: begins.Add(day)}
}

// usageOf returns the usage record of a call. It is empty without a key.
func usageOf(
	a subject, tool string, outcome keys.Outcome, compute time.Duration, now time.Time,
) keys.UsageRecord {
	if a.prefix == "" {
		return keys.UsageRecord{}
	}
	return keys.UsageRecord{
		Prefix: a.prefix, Tool: tool, Day: now.UTC().Truncate(day), Outcome: outcome,
		Calls: 1, ComputeMS: float64(compute.Nanoseconds()) / 1e6, LastUsed: now,
	}
}

// commit returns the Commit function of a reservation. It refunds a call with a ServerError and
// adds the record. The record counts for the day on which the call ended.
func (g *Limiter) commit(
	a subject, d *usage.Debit,
) func(context.Context, string, keys.Outcome, time.Duration) error {
	return func(ctx context.Context, tool string, outcome keys.Outcome,
		compute time.Duration) error {
		if d != nil && outcome == keys.ServerError {
			if err := g.opt.Counter.Refund(ctx, d.Counter, d.Size, d.TTL); err != nil {
				return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
			}
		}
		return g.record(ctx, a, tool, outcome, compute)
	}
}

// record adds the usage record of a call.
func (g *Limiter) record(
	ctx context.Context, a subject, tool string, outcome keys.Outcome, compute time.Duration,
) error {
	if a.prefix == "" {
		return nil
	}
	if err := g.opt.Counter.Record(ctx, usageOf(a, tool, outcome, compute, g.opt.Now())); err !=
		nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	return nil
}

// limitReason returns a text that states the limit and the remedy.
func (g *Limiter) limitReason(a subject, left keys.Allowance, calls int64) string {
	whose, help := "this key", "a paid key has no daily limit"
	if a.prefix == "" {
		whose, help = "without a key your address", fmt.Sprintf(
			"a free key from POST /api/keys has %d calls per day", g.opt.Limits[keys.Free],
		)
	}
	if left.Remaining > 0 {
		return fmt.Sprintf(
			"%s has %d of its %d calls of today left, and this request needs %d; the day ends at 00:00 UTC; %s",
			whose, left.Remaining, left.Limit, calls, help,
		)
	}
	return fmt.Sprintf("%s has used its %d calls of today; the day ends at 00:00 UTC; %s", whose,
		left.Limit, help)
}

// Limit for issuing free keys: FreeKeysPerHour keys per client prefix in any IssuanceWindow.
const (
	FreeKeysPerHour = 5
	IssuanceWindow  = time.Hour
)

// IssuanceLimiter implements keys.IssuanceLimiter with a sliding window.
type IssuanceLimiter struct {
	Store usage.Store
	Now   func() time.Time
}

// Allow implements keys.IssuanceLimiter.
func (i *IssuanceLimiter) Allow(ctx context.Context, address netip.Addr) error {
	now := i.Now()
	retryAfter, err := i.Store.AllowWithin(ctx, "issue:"+keys.PrefixKey(address), FreeKeysPerHour,
		IssuanceWindow, now)
	if err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	if retryAfter > 0 {
		return &keys.LimitError{
			Policy: "issue", RetryAfter: retryAfter,
			Allowance: keys.Allowance{Limit: FreeKeysPerHour, Window: IssuanceWindow,
				Reset: now.Add(retryAfter)},
			Reason: fmt.Sprintf(
				"your address has had %d free keys within an hour, which is as many as one address may have",
				FreeKeysPerHour,
			),
		}
	}
	return nil
}
