package keys

import (
	"context"
	"errors"
	"time"
)

// PrefixLength is the number of characters of a key that identify it in lists and revocations.
const PrefixLength = 12

// Record is the stored record of a key, which does not contain the key.
type Record struct {
	Hash         [32]byte // keyed hash of the whole key
	Prefix       string   // its first PrefixLength characters
	Tier         Tier
	Label        *string // nil for none
	Owner        string  // the JWT subject it was issued to; "" for free keys
	CreatedAt    time.Time
	ExpiresAt    time.Time
	RevokedAt    *time.Time // nil while it is not revoked
	LastUsedAt   *time.Time // nil before the first call
	RequestCount int64      // counted calls: computed and invalid ones
}

// Active reports whether the key is neither revoked nor expired.
func (r Record) Active(now time.Time) bool { return r.RevokedAt == nil && now.Before(r.ExpiresAt) }

// UsageRecord is the number of calls of a key per tool, day and outcome.
type UsageRecord struct {
	Prefix    string // of the key
	Tool      string
	Day       time.Time // 00:00 UTC
	Outcome   Outcome
	Calls     int64
	ComputeMS float64   // sum of all calls
	LastUsed  time.Time // last call; kept per key, so that it is zero in answers of a store
}

// CountedCalls is the number of calls that count against the key: none with a ServerError.
func (u UsageRecord) CountedCalls() int64 {
	if u.Outcome == ServerError {
		return 0
	}
	return u.Calls
}

// Scope is a set of keys: those of one owner, or all.
type Scope struct {
	Owner string
	All   bool // including free keys, which have no owner
}

// Page is a part of a list: at most Limit entries, after the key with prefix After ("": from the
// start).
type Page struct {
	After string
	Limit int
}

// ErrKeyNotFound is the error for a prefix without a key in the scope.
var ErrKeyNotFound = errors.New("there is no such key")

// ErrPrefixTaken is the error for a new key whose prefix another key has.
var ErrPrefixTaken = errors.New("the prefix is taken")

// ErrTooManyKeys is the error for a new key of an owner at the limit of active keys.
var ErrTooManyKeys = errors.New("the owner has as many active keys as one may have")

// Store stores keys and their usage. It is safe for concurrent use. Times have a resolution of one
// microsecond. An error other than the named ones means that the store is unavailable.
type Store interface {
	// Insert adds a key, unless its owner has most active keys; with most 0, and for keys without
	// an owner, there is no limit. Concurrent calls do not exceed the limit. Errors:
	// ErrTooManyKeys; ErrPrefixTaken, after which another key can be tried.
	Insert(ctx context.Context, r Record, most int) error
	// ByHash returns a key in any state, for the reason of a rejection. Errors: ErrKeyNotFound.
	ByHash(ctx context.Context, hash [32]byte) (Record, error)
	// List returns the active keys of a scope, newest first.
	List(ctx context.Context, s Scope, p Page, now time.Time) ([]Record, error)
	// Revoke revokes an active key and returns its record. Of concurrent calls one succeeds.
	// Errors: ErrKeyNotFound when the scope has no active key with the prefix.
	Revoke(ctx context.Context, s Scope, prefix string, now time.Time) (Record, error)
	// AddUsage adds a batch of records, all or none, and updates request_count and last_used_at of
	// their keys. A batch whose id was added before changes nothing: fresh is false. Records of
	// unknown keys are stored too.
	AddUsage(ctx context.Context, batch string, records []UsageRecord) (fresh bool, err error)
	// Usage returns the usage of a key of the scope on the days from ≤ day ≤ to, by day, tool and
	// outcome. Errors: ErrKeyNotFound when the scope has no key, active or not, with the prefix.
	Usage(ctx context.Context, s Scope, prefix string, from, to time.Time) ([]UsageRecord, error)
	// Secret returns the secret of a name; if there is none it stores and returns proposal. All
	// instances get the same secret.
	Secret(ctx context.Context, name string, proposal []byte) ([]byte, error)
	// Purge deletes free keys that ended before a time, with their usage, and the ids of batches
	// added before it.
	Purge(ctx context.Context, before time.Time) error
	// Ping returns an error unless the store is available.
	Ping(ctx context.Context) error
	// Close closes the store. Calls in flight may fail.
	Close()
}
