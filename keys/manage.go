package keys

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// IssueParams is what a new key shall be.
type IssueParams struct {
	Tier  Tier
	Owner string  // JWT subject; "" for a free key
	Label *string // checked by the caller
}

// MaxActiveKeys is how many active keys one owner may have: enough for a key for each program or
// machine, and few enough that a program that issues in a loop is stopped.
const MaxActiveKeys = 100

// Issue makes a key and gives it, the only time it is seen, with its record. ErrTooManyKeys when its
// owner has MaxActiveKeys; ErrUnavailable.
func (r *Service) Issue(ctx context.Context, o IssueParams) (key string, record Record, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for range prefixTries {
		key = newKey()
		now := r.now().UTC().Truncate(time.Microsecond)
		record = Record{
			Hash: r.hasher.hash(key), Prefix: key[:PrefixLength], Tier: o.Tier, Label: o.Label, Owner: o.Owner,
			CreatedAt: now, ExpiresAt: now.Add(o.Tier.TTL()),
		}
		if err = r.store.Insert(ctx, record, MaxActiveKeys); !errors.Is(err, ErrPrefixTaken) {
			break
		}
	}
	switch {
	case errors.Is(err, ErrTooManyKeys):
		return "", Record{}, err
	case err != nil:
		return "", Record{}, unavailable(err)
	}
	return key, record, nil
}

// List gives a page of the active keys of a scope, newest first. ErrUnavailable.
func (r *Service) List(ctx context.Context, who Scope, p Page) ([]Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if p.After != "" && !isPrefix(p.After) {
		return []Record{}, nil
	}
	list, err := r.store.List(ctx, who, p, r.now())
	return list, wrapStoreError(err)
}

// Revoke ends an active key of a scope. Of concurrent calls one succeeds. ErrKeyNotFound, ErrUnavailable.
func (r *Service) Revoke(ctx context.Context, who Scope, prefix string) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if !isPrefix(prefix) {
		return Record{}, ErrKeyNotFound
	}
	record, err := r.store.Revoke(ctx, who, prefix, r.now().UTC().Truncate(time.Microsecond))
	if err == nil {
		r.hits.drop(record.Hash)
	}
	return record, wrapStoreError(err)
}

// Usage gives what a key of a scope used from one day to another. ErrKeyNotFound, ErrUnavailable.
func (r *Service) Usage(ctx context.Context, who Scope, prefix string, from, to time.Time) ([]UsageRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if !isPrefix(prefix) {
		return nil, ErrKeyNotFound
	}
	uses, err := r.store.Usage(ctx, who, prefix, from, to)
	return uses, wrapStoreError(err)
}

// retention is how long ended free keys and the ids of batches are remembered: longer than anybody
// asks why a key is refused, and than a batch could still arrive twice.
const retention = 30 * 24 * time.Hour

// Purge forgets what nobody asks for any more. It is called now and then, by any instance.
func (r *Service) Purge(ctx context.Context) error {
	if err := r.store.Purge(ctx, r.now().Add(-retention)); err != nil {
		return fmt.Errorf("forgetting old keys: %w", err)
	}
	return nil
}

// Ready reports whether the store can be reached.
func (r *Service) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return r.store.Ping(ctx)
}
