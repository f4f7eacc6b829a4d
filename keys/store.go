package keys

import (
	"context"
	"errors"
	"time"
)

// PrefixLength is the number of characters of a key that identify it in lists and revocations.
const PrefixLength = 12

// Record is the stored record of a key. It does not contain the key itself.
type Record struct {
	Hash         [32]byte // keyed hash of the complete key
	Prefix       string   // first PrefixLength characters of the key
	Tier         Tier
	Label        *string // nil for none
	Owner        string  // JWT subject to which the key was issued; "" for free keys
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    *time.Time // nil unless revoked
	LastUsedAt   *time.Time // nil before the first call
	RequestCount int64      // number of calls that were computed or invalid
}

// Active reports whether the key is neither revoked nor expired.
func (r Record) Active(now time.Time) bool { return r.RevokedAt == nil && now.Before(r.ExpiresAt) }

// UsageRecord is the number of calls per key, tool, day and outcome.
type UsageRecord struct {
	Prefix    string // prefix of the key
	Tool      string
	Day       time.Time // 00:00 UTC
	Outcome   Outcome
	Calls     int64
	ComputeMS float64   // total computing time of the calls [ms]
	LastUsed  time.Time // time of the last call; not set by Store.Usage
}

// CountedCalls returns the number of calls that count against the key. Calls with a ServerError do
// not count.
func (u UsageRecord) CountedCalls() int64 {
	if u.Outcome == ServerError {
		return 0
	}
	return u.Calls
}

// Scope is a set of keys: the keys of one owner, or all keys.
type Scope struct {
	Owner string
	All   bool // includes free keys, which have no owner
}

// Page selects a part of a list: at most Limit entries that follow the key with prefix After. If
// After is "", the page begins at the start.
type Page struct {
	After string
	Limit int
}

// ErrKeyNotFound is returned if no key in the scope has the prefix.
var ErrKeyNotFound = errors.New("there is no such key")

// ErrPrefixTaken is returned if another key has the prefix of a new key.
var ErrPrefixTaken = errors.New("the prefix is taken")

// ErrTooManyKeys is returned if the owner of a new key has reached the limit of active keys.
var ErrTooManyKeys = errors.New("the owner has as many active keys as one may have")

// Store stores keys and their usage. It is safe for concurrent use. Times have a resolution of one
// microsecond. Any error that a method does not document means that the store is unavailable.
type Store interface {
	// Insert adds a key unless its owner has reached the limit of active keys. There is no limit if
	// limit is 0 or the key has no owner. Concurrent calls cannot exceed the limit. Insert returns
	// ErrTooManyKeys, or ErrPrefixTaken, after which the caller may try another key.
	Insert(ctx context.Context, r Record, limit int) error
	// ByHash returns a key in any state, which allows stating the reason of a rejection. It returns
	// ErrKeyNotFound if there is none.
	ByHash(ctx context.Context, hash [32]byte) (Record, error)
	// List returns the active keys in a scope, newest first.
	List(ctx context.Context, s Scope, p Page, now time.Time) ([]Record, error)
	// Revoke revokes an active key and returns its record. Only one of several concurrent calls
	// succeeds. Revoke returns ErrKeyNotFound if the scope has no active key with the prefix.
	Revoke(ctx context.Context, s Scope, prefix string, now time.Time) (Record, error)
	// AddUsage adds a batch of records, all or none, and updates request_count and last_used_at of
	// their keys. If a batch with the id was added before, nothing changes and fresh is false.
	// AddUsage also stores records of unknown keys.
	AddUsage(ctx context.Context, batch string, records []UsageRecord) (fresh bool, err error)
	// Usage returns the usage of a key in the scope for from ≤ day ≤ to, by day, tool and outcome.
	// It returns ErrKeyNotFound if the scope has no key with the prefix, active or not.
	Usage(ctx context.Context, s Scope, prefix string, from, to time.Time) ([]UsageRecord, error)
	// Secret returns the secret with the given name. If there is none, it stores and returns
	// proposal. All instances get the same secret.
	Secret(ctx context.Context, name string, proposal []byte) ([]byte, error)
	// Purge deletes free keys that expired or were revoked before the given time, with their usage.
	// It also deletes the ids of batches that were added before that time.
	Purge(ctx context.Context, before time.Time) error
	// Ping returns an error if the store is unavailable or refuses writes.
	Ping(ctx context.Context) error
	// Close closes the store. Calls in flight may fail.
	Close()
}
