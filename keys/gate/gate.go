// Package gate decides which calls are let in: it finds the caller's key, takes the call from the
// day of the key or of the address, and has it recorded what the key used.
package gate

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"slipstick/keys"
	"slipstick/keys/ledger"
)

// Finder finds the record of a key as it was sent. Errors: *keys.UnknownKeyError for a key that
// is not good.
type Finder interface {
	Lookup(ctx context.Context, key string) (keys.Record, error)
}

// Options set up a Gate. Keys and Ledger are needed.
type Options struct {
	Keys   Finder
	Ledger *ledger.Ledger
	// Limits are calls a day; a tier that is not named has none.
	Limits map[keys.Tier]int
	Now    func() time.Time // time.Now
}

// Gate implements keys.Gate. It is safe for concurrent use.
type Gate struct{ opt Options }

var _ keys.Gate = (*Gate)(nil)

// New makes a Gate.
func New(o Options) *Gate {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Gate{o}
}

// account is on whose day a call goes.
type account struct {
	name   string
	tier   keys.Tier
	prefix string // of its key; "" for none
}

// Admit implements keys.Gate. With no calls it only says who the visitor is.
func (g *Gate) Admit(ctx context.Context, who keys.Visitor, calls int) (*keys.Pass, error) {
	a := account{name: "address:" + keys.Bucket(who.Address), tier: keys.Anonymous}
	if who.Key != "" {
		record, err := g.opt.Keys.Lookup(ctx, who.Key)
		if err != nil {
			return nil, err
		}
		a = account{name: "key:" + record.Prefix, tier: record.Tier, prefix: record.Prefix}
	}
	pass := &keys.Pass{Tier: a.tier, Account: a.name}
	limit := g.opt.Limits[a.tier]
	if limit == 0 {
		pass.Settle = g.settle(a, nil)
		return pass, nil
	}
	now := g.opt.Now()
	d := dayOf(now)
	t := taken{counter: d.Format(time.DateOnly) + ":" + a.name, calls: int64(calls), life: d.Add(counterLife).Sub(now)}
	pass.Allowance = keys.Allowance{Limit: limit, Window: 24 * time.Hour, Reset: d.AddDate(0, 0, 1)}
	if calls == 0 {
		pass.Settle = g.settle(a, nil)
		return pass, nil
	}
	grant, err := g.opt.Ledger.Take(ctx, t.counter, int64(limit), t.calls, t.life)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	pass.Allowance.Remaining = max(0, limit-int(grant.Used))
	if !grant.Admitted {
		return nil, &keys.LimitError{
			Name: "day", Allowance: pass.Allowance, RetryAfter: pass.Allowance.Reset.Sub(now), Reason: reason(a, pass.Allowance, calls),
		}
	}
	pass.Settle = g.settle(a, &t)
	return pass, nil
}

// counterLife is how long after a day began its counters are kept: calls are given back late.
const counterLife = 25 * time.Hour

// taken is what a call took from a day.
type taken struct {
	counter string
	calls   int64
	life    time.Duration
}

// settle makes the end of a call: what the service did not serve is given back, and what a key
// used is recorded. The call falls on the day on which it ended.
func (g *Gate) settle(a account, t *taken) func(context.Context, string, keys.Outcome, time.Duration) error {
	return func(ctx context.Context, tool string, outcome keys.Outcome, compute time.Duration) error {
		if t != nil && outcome == keys.Unserved {
			if err := g.opt.Ledger.GiveBack(ctx, t.counter, t.calls, t.life); err != nil {
				return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
			}
		}
		if a.prefix == "" {
			return nil
		}
		now := g.opt.Now()
		err := g.opt.Ledger.Use(ctx, keys.Use{
			Prefix: a.prefix, Tool: tool, Day: dayOf(now), Outcome: outcome,
			Calls: 1, ComputeMS: float64(compute.Nanoseconds()) / 1e6, LastUsed: now,
		})
		if err != nil {
			return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
		}
		return nil
	}
}

// dayOf is when the day of a moment began: 00:00 UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// reason says which limit is used up and what helps.
func reason(a account, left keys.Allowance, calls int) string {
	whose, help := "this key", "a paid key has no daily limit"
	if a.prefix == "" {
		whose, help = "without a key your address", fmt.Sprintf("a free key from POST /api/keys has %d calls a day", keys.Free.Daily())
	}
	if left.Remaining > 0 {
		return fmt.Sprintf("%s has %d of its %d calls of today left, and this request needs %d; the day ends at 00:00 UTC; %s", whose, left.Remaining, left.Limit, calls, help)
	}
	return fmt.Sprintf("%s has used its %d calls of today; the day ends at 00:00 UTC; %s", whose, left.Limit, help)
}

// Issuance is how many free keys an address may have in any Window.
const (
	Issuance = 5
	Window   = time.Hour
)

// Issues limits how often an address is given a free key.
type Issues struct {
	Book ledger.Book
	Now  func() time.Time
}

// Take counts an issue to an address. Errors: *keys.LimitError when it had enough;
// keys.ErrUnavailable when that cannot be known.
func (i *Issues) Take(ctx context.Context, address netip.Addr) error {
	now := i.Now()
	wait, err := i.Book.Within(ctx, "issue:"+keys.Bucket(address), Issuance, Window, now)
	if err != nil {
		return fmt.Errorf("%w: %w", keys.ErrUnavailable, err)
	}
	if wait > 0 {
		return &keys.LimitError{
			Name: "issue", RetryAfter: wait, Allowance: keys.Allowance{Limit: Issuance, Window: Window, Reset: now.Add(wait)},
			Reason: fmt.Sprintf("your address has had %d free keys within an hour, which is as many as one address may have", Issuance),
		}
	}
	return nil
}
