package keys

import (
	"context"
	"errors"
	"time"
)

// PrefixLength is how many characters of a key name it in listing and revocation.
const PrefixLength = 12

// Record is what is kept of a key. The key itself is not.
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
	RequestCount int64      // calls that count: computed ones and those refused as invalid
}

// Active reports whether the key is neither revoked nor expired.
func (r Record) Active(now time.Time) bool { return r.RevokedAt == nil && now.Before(r.ExpiresAt) }

// UsageRecord is how often a key called a tool on a day, with one outcome.
type UsageRecord struct {
	Prefix    string // of the key
	Tool      string
	Day       time.Time // 00:00 UTC
	Outcome   Outcome
	Calls     int64
	ComputeMS float64   // computing time of all calls together
	LastUsed  time.Time // of the last of the calls; not kept apart for each tool, so zero in answers
}

// CountedCalls is how many of the calls count against the key: what the service failed to answer does
// not.
func (u UsageRecord) CountedCalls() int64 {
	if u.Outcome == ServerError {
		return 0
	}
	return u.Calls
}

// Scope says whose keys are meant: those of one owner, or all.
type Scope struct {
	Owner string
	All   bool // free keys, which have no owner, included
}

// Page is a part of a list: at most Limit entries, after the one with that prefix ("": from the
// start).
type Page struct {
	After string
	Limit int
}

// ErrKeyNotFound says that a store has no such key, or none that may be seen.
var ErrKeyNotFound = errors.New("there is no such key")

// ErrPrefixTaken says that another key has the same first characters.
var ErrPrefixTaken = errors.New("the prefix is taken")

// ErrTooManyKeys says that the owner of a new key has as many active keys as one may have.
var ErrTooManyKeys = errors.New("the owner has as many active keys as one may have")

// Store keeps keys and what they used. Every method may be called concurrently. Times are kept
// to the microsecond. An error other than the ones named means that the store could not be
// reached or did not do it.
type Store interface {
	// Insert adds a key, unless its owner has most active keys already when it is created; with most
	// 0, and for keys without an owner, there may be any number. Of concurrent calls no more succeed
	// than there is room for. ErrTooManyKeys. ErrPrefixTaken: ask for another one.
	Insert(ctx context.Context, r Record, most int) error
	// ByHash finds a key in any state, so that its holder can be told why it is not good. ErrKeyNotFound.
	ByHash(ctx context.Context, hash [32]byte) (Record, error)
	// List gives the active keys of a scope, newest first.
	List(ctx context.Context, s Scope, p Page, now time.Time) ([]Record, error)
	// Revoke ends an active key and gives it as it then is. Of any number of concurrent calls one
	// succeeds. ErrKeyNotFound when there is none with that prefix in the scope, or it is not active.
	Revoke(ctx context.Context, s Scope, prefix string, now time.Time) (Record, error)
	// AddUsage adds a batch of uses, all or nothing, and raises request_count and last_used_at of
	// their keys. A batch with an id that was added before changes nothing: fresh is false. Uses of
	// keys the store does not know are kept too.
	AddUsage(ctx context.Context, batch string, uses []UsageRecord) (fresh bool, err error)
	// Usage gives what a key of the scope used on the days from ≤ day ≤ to, by day, tool and
	// outcome. ErrKeyNotFound when the scope has no key with that prefix; the key may have ended.
	Usage(ctx context.Context, s Scope, prefix string, from, to time.Time) ([]UsageRecord, error)
	// Secret gives the secret kept under a name; when there is none yet it keeps proposal and gives
	// that. All who ask get the same one.
	Secret(ctx context.Context, name string, proposal []byte) ([]byte, error)
	// Purge forgets free keys that ended before a time, with their usage, and the ids of batches
	// added before it.
	Purge(ctx context.Context, before time.Time) error
	// Ping reports whether the store can be reached.
	Ping(ctx context.Context) error
	// Close ends it. Calls in flight may fail.
	Close()
}
