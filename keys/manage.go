package keys

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// IssueParams are the attributes of a new key.
type IssueParams struct {
	Tier  Tier
	Owner string  // JWT subject; "" for a free key
	Label *string // must be validated by the caller
}

// MaxActiveKeys is the maximum number of active keys of one owner. It allows one key per program or
// machine, and stops a program that issues keys in a loop.
const MaxActiveKeys = 100

// Issue creates a key and returns it with its record. The key itself is not stored. Issue returns
// ErrTooManyKeys if the owner has MaxActiveKeys active keys, and ErrUnavailable if the store is
// unavailable.
func (s *Service) Issue(ctx context.Context, o IssueParams) (key string, record Record, err error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	for range prefixTries {
		key = newKey()
		now := s.now().UTC().Truncate(time.Microsecond)
		record = Record{
			Hash:   s.hasher.hash(key),
			Prefix: key[:PrefixLength], Tier: o.Tier, Label: o.Label, Owner: o.Owner,
			CreatedAt: now,
			ExpiresAt: now.Add(o.Tier.TTL()),
		}
		if err = s.store.Insert(ctx, record, MaxActiveKeys); !errors.Is(err, ErrPrefixTaken) {
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

// List returns a page of the active keys in a scope, newest first, or ErrUnavailable.
func (s *Service) List(ctx context.Context, scope Scope, p Page) ([]Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if p.After != "" && !isPrefix(p.After) {
		return []Record{}, nil
	}
	list, err := s.store.List(ctx, scope, p, s.now())
	return list, wrapStoreError(err)
}

// Revoke revokes an active key in a scope. Only one of several concurrent calls succeeds; the
// others return ErrKeyNotFound. Revoke returns ErrUnavailable if the store is unavailable.
func (s *Service) Revoke(ctx context.Context, scope Scope, prefix string) (Record, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if !isPrefix(prefix) {
		return Record{}, ErrKeyNotFound
	}
	record, err := s.store.Revoke(ctx, scope, prefix, s.now().UTC().Truncate(time.Microsecond))
	if err == nil {
		s.hits.drop(record.Hash)
	}
	return record, wrapStoreError(err)
}

// Usage returns the usage of a key in a scope for from ≤ day ≤ to. It returns ErrKeyNotFound or
// ErrUnavailable.
func (s *Service) Usage(
	ctx context.Context, scope Scope, prefix string, from, to time.Time,
) ([]UsageRecord, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if !isPrefix(prefix) {
		return nil, ErrKeyNotFound
	}
	uses, err := s.store.Usage(ctx, scope, prefix, from, to)
	return uses, wrapStoreError(err)
}

// retention is the time for which expired and revoked free keys, and the ids of usage batches, are
// kept. A key holder may still ask for the reason of a rejection, and a batch may arrive twice.
const retention = 30 * 24 * time.Hour

// Purge deletes free keys and batch ids whose retention time has passed. Any instance may call it
// at any time.
func (s *Service) Purge(ctx context.Context) error {
	if err := s.store.Purge(ctx, s.now().Add(-retention)); err != nil {
		return fmt.Errorf("deleting old keys: %w", err)
	}
	return nil
}

// Ready returns an error if the store is unavailable.
func (s *Service) Ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	return s.store.Ping(ctx)
}
