package keys

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

const (
	// CacheTTL is how long a look-up is believed: a key revoked on another instance is refused
	// here after that time at the latest.
	CacheTTL = 5 * time.Second
	// StaleIfErrorTTL is how long a key that was good goes on while the store cannot be reached.
	StaleIfErrorTTL = 10 * time.Minute

	lookupTime = time.Second     // a look-up that takes longer has failed
	storeTime  = 5 * time.Second // any other question
	retryStore = time.Second     // between look-ups while the store cannot be reached

	maxHits, maxMisses = 100_000, 20_000 // look-ups remembered
	prefixTries        = 8               // one collision is rare, two in a row are a defect
)

// MinPepper is how many bytes a configured pepper has at least.
const MinPepper = 32

// ServiceOptions configures a Registry. Only Store is needed.
type ServiceOptions struct {
	Store Store
	// Pepper keys the hash of keys. Without one the store keeps one that all instances share. When
	// it changes, no key issued before is known any more.
	Pepper []byte
	Now    func() time.Time // time.Now
}

// Service issues, finds and revokes keys. It is ready for concurrent use.
type Service struct {
	store  Store
	hasher *hasher
	now    func() time.Time

	hits, misses *cache
	group        singleflight.Group
	lastFailure  atomic.Int64 // when the store last failed to answer a look-up, ns; 0: it did answer
	probing      atomic.Bool
}

// NewService makes a Registry. The error says that the pepper is too short or that the store
// gave none.
func NewService(ctx context.Context, o ServiceOptions) (*Service, error) {
	r := &Service{store: o.Store, now: o.Now, hits: newCache(maxHits), misses: newCache(maxMisses)}
	if r.now == nil {
		r.now = time.Now
	}
	pepper := o.Pepper
	if pepper == nil {
		proposal := make([]byte, MinPepper)
		_, _ = rand.Read(proposal)
		var err error
		if pepper, err = r.store.Secret(ctx, "pepper", proposal); err != nil {
			return nil, fmt.Errorf("the secret that keys are hashed with could not be read: %w", err)
		}
	}
	if len(pepper) < MinPepper {
		return nil, fmt.Errorf("the secret that keys are hashed with must have at least %d bytes, got %d", MinPepper, len(pepper))
	}
	r.hasher = newHasher(pepper)
	return r, nil
}

// Lookup finds the active key that a caller sent. Errors: *InvalidKeyError when it is not good,
// with the reason; ErrUnavailable when the store cannot be reached and the key was not used here
// lately.
func (r *Service) Lookup(ctx context.Context, key string) (Record, error) {
	if len(key) != keyLength {
		return Record{}, unknown()
	}
	hash, now := r.hasher.hash(key), r.now()
	last, known := r.hits.get(hash)
	if known && fresh(last, now) {
		return checkActive(last.record, now)
	}
	if !isWellFormed(key) { // asked late: what is known is well formed
		return Record{}, unknown()
	}
	if e, ok := r.misses.get(hash); ok && fresh(e, now) {
		return Record{}, unknown()
	}
	record, err := (*Record)(nil), errCircuitOpen
	if !r.circuitOpen(now) {
		record, err = r.fetch(ctx, hash, now)
	}
	switch {
	case err == nil:
		return checkActive(record, now)
	case errors.Is(err, ErrKeyNotFound):
		return Record{}, unknown()
	case known && now.Sub(last.at) < StaleIfErrorTTL:
		return checkActive(last.record, now)
	}
	return Record{}, unavailable(err)
}

var errCircuitOpen = errors.New("it did not answer a moment ago")

func fresh(e cacheEntry, now time.Time) bool { return now.Sub(e.at) < CacheTTL }

// circuitOpen reports whether the store is known not to answer and was asked a moment ago, or is
// being asked by somebody else: there is no use in every call waiting for it.
func (r *Service) circuitOpen(now time.Time) bool {
	failed := r.lastFailure.Load()
	return failed != 0 && (r.probing.Load() || now.Sub(time.Unix(0, failed)) < retryStore)
}

// fetch asks the store, once for all who ask for the same key at the time.
func (r *Service) fetch(ctx context.Context, hash [32]byte, now time.Time) (*Record, error) {
	found, err, _ := r.group.Do(string(hash[:]), func() (any, error) {
		r.probing.Store(true)
		defer r.probing.Store(false)
		goodMark, badMark := r.hits.mark(), r.misses.mark()
		// Others may wait for this answer, so whoever asked first must not be able to call it off.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
		defer cancel()
		record, err := r.store.ByHash(ctx, hash)
		switch {
		case err == nil && subtle.ConstantTimeCompare(record.Hash[:], hash[:]) == 1:
			r.lastFailure.Store(0)
			r.hits.put(hash, cacheEntry{&record, now}, goodMark)
			return &record, nil
		case err == nil, errors.Is(err, ErrKeyNotFound):
			r.lastFailure.Store(0)
			r.misses.put(hash, cacheEntry{at: now}, badMark)
			return (*Record)(nil), ErrKeyNotFound
		}
		r.lastFailure.Store(max(1, r.now().UnixNano()))
		return (*Record)(nil), err
	})
	return found.(*Record), err
}

func unknown() error {
	return &InvalidKeyError{fmt.Sprintf("the API key is not known; check that all %d characters of it were sent, or get one with POST /api/keys", keyLength)}
}

// checkActive says whether a key that was found may be used.
func checkActive(k *Record, now time.Time) (Record, error) {
	switch {
	case k.RevokedAt != nil:
		return Record{}, &InvalidKeyError{fmt.Sprintf("the API key %s was revoked at %s; get another one with POST /api/keys", k.Prefix, formatTime(*k.RevokedAt))}
	case !now.Before(k.ExpiresAt):
		return Record{}, &InvalidKeyError{fmt.Sprintf("the API key %s expired at %s; get another one with POST /api/keys", k.Prefix, formatTime(k.ExpiresAt))}
	}
	return *k, nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// wrapStoreError passes ErrKeyNotFound on and makes every other error ErrUnavailable.
func wrapStoreError(err error) error {
	if err == nil || errors.Is(err, ErrKeyNotFound) {
		return err
	}
	return unavailable(err)
}
