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
	// CacheTTL is the lifetime of a cached look-up. It is the maximum delay until an instance
	// rejects a key revoked on another instance.
	CacheTTL = 5 * time.Second
	// StaleIfErrorTTL is the time for which a cached valid key is accepted while the store is
	// unavailable.
	StaleIfErrorTTL = 10 * time.Minute

	lookupTime = time.Second     // time limit of a look-up
	storeTime  = 5 * time.Second // time limit of other store calls
	retryStore = time.Second     // interval of look-ups while the store is unavailable

	maxHits, maxMisses = 100_000, 20_000 // cached look-ups
	prefixTries        = 8               // maximum number of prefixes to try for a key
)

// MinPepper is the minimum length of a configured pepper in bytes.
const MinPepper = 32

// ServiceOptions configures a Service. Store is required.
type ServiceOptions struct {
	Store Store
	// Pepper is the secret for hashing keys. By default the store keeps a pepper that all instances
	// share. Changing the pepper invalidates all keys issued before.
	Pepper []byte
	Now    func() time.Time // default time.Now
}

// Service issues, finds and revokes keys. It is safe for concurrent use.
type Service struct {
	store  Store
	hasher *hasher
	now    func() time.Time

	hits, misses *cache
	group        singleflight.Group
	lastFailure  atomic.Int64 // last failed look-up [Unix ns]; 0 after a success
	probing      atomic.Bool
}

// NewService returns a Service. It returns an error if the pepper is too short or the store cannot
// provide one.
func NewService(ctx context.Context, o ServiceOptions) (*Service, error) {
	s := &Service{store: o.Store, now: o.Now, hits: newCache(maxHits), misses: newCache(maxMisses)}
	if s.now == nil {
		s.now = time.Now
	}
	pepper := o.Pepper
	if pepper == nil {
		proposal := make([]byte, MinPepper)
		_, _ = rand.Read(proposal)
		var err error
		if pepper, err = s.store.Secret(ctx, "pepper", proposal); err != nil {
			return nil, fmt.Errorf("the secret that keys are hashed with could not be read: %w",
				err)
		}
	}
	if len(pepper) < MinPepper {
		return nil,
			fmt.Errorf("the secret that keys are hashed with must have at least %d bytes, got %d",
				MinPepper, len(pepper))
	}
	s.hasher = newHasher(pepper)
	return s, nil
}

// Lookup returns the record of an active key. It returns an *InvalidKeyError, or ErrUnavailable if
// the store is unavailable and the key is not cached.
func (s *Service) Lookup(ctx context.Context, key string) (Record, error) {
	if len(key) != keyLength {
		return Record{}, unknown()
	}
	hash, now := s.hasher.hash(key), s.now()
	last, known := s.hits.get(hash)
	if known && fresh(last, now) {
		return checkActive(last.record, now)
	}
	if !isWellFormed(key) { // checked after the cache, whose keys are well formed
		return Record{}, unknown()
	}
	if e, ok := s.misses.get(hash); ok && fresh(e, now) {
		return Record{}, unknown()
	}
	record, err := (*Record)(nil), errCircuitOpen
	if !s.circuitOpen(now) {
		record, err = s.fetch(ctx, hash, now)
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

var errCircuitOpen = errors.New("it did not respond a moment ago")

func fresh(e cacheEntry, now time.Time) bool { return now.Sub(e.at) < CacheTTL }

// circuitOpen reports whether the last look-up failed, and either did so less than retryStore ago
// or another look-up is probing the store. Calls then fail immediately instead of waiting for the
// timeout.
func (s *Service) circuitOpen(now time.Time) bool {
	failed := s.lastFailure.Load()
	return failed != 0 && (s.probing.Load() || now.Sub(time.Unix(0, failed)) < retryStore)
}

// fetch looks up a key in the store. Concurrent calls with the same key share one look-up.
func (s *Service) fetch(ctx context.Context, hash [32]byte, now time.Time) (*Record, error) {
	found, err, _ := s.group.Do(string(hash[:]), func() (any, error) {
		// A look-up may have ended since the caller read the caches.
		if hit, ok := s.hits.get(hash); ok && fresh(hit, now) {
			return hit.record, nil
		}
		if miss, ok := s.misses.get(hash); ok && fresh(miss, now) {
			return (*Record)(nil), ErrKeyNotFound
		}
		s.probing.Store(true)
		defer s.probing.Store(false)
		hitEpoch, missEpoch := s.hits.currentEpoch(), s.misses.currentEpoch()
		// Other calls may share this look-up, so it must not end with the context of the first
		// call.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
		defer cancel()
		record, err := s.store.ByHash(ctx, hash)
		switch {
		case err == nil && subtle.ConstantTimeCompare(record.Hash[:], hash[:]) == 1:
			s.lastFailure.Store(0)
			s.hits.put(hash, cacheEntry{&record, now}, hitEpoch)
			return &record, nil
		case err == nil, errors.Is(err, ErrKeyNotFound):
			s.lastFailure.Store(0)
			s.misses.put(hash, cacheEntry{at: now}, missEpoch)
			return (*Record)(nil), ErrKeyNotFound
		}
		s.lastFailure.Store(max(1, s.now().UnixNano()))
		return (*Record)(nil), err
	})
	return found.(*Record), err
}

func unknown() error {
	return &InvalidKeyError{
		fmt.Sprintf(
			"the API key is not known; check that all %d characters of it were sent, or get one with POST /api/keys",
			keyLength,
		),
	}
}

// checkActive returns an *InvalidKeyError if a key is expired or revoked.
func checkActive(k *Record, now time.Time) (Record, error) {
	switch {
	case k.RevokedAt != nil:
		return Record{}, &InvalidKeyError{
			fmt.Sprintf("the API key %s was revoked at %s; get another one with POST /api/keys",
				k.Prefix, formatTime(*k.RevokedAt)),
		}
	case !now.Before(k.ExpiresAt):
		return Record{}, &InvalidKeyError{
			fmt.Sprintf("the API key %s expired at %s; get another one with POST /api/keys",
				k.Prefix, formatTime(k.ExpiresAt)),
		}
	}
	return *k, nil
}

func formatTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// wrapStoreError wraps errors of the store in ErrUnavailable, except ErrKeyNotFound.
func wrapStoreError(err error) error {
	if err == nil || errors.Is(err, ErrKeyNotFound) {
		return err
	}
	return unavailable(err)
}
