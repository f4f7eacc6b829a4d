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
	// Staleness is how long a look-up is believed: a key revoked on another instance is refused
	// here after that time at the latest.
	Staleness = 5 * time.Second
	// Grace is how long a key that was good goes on while the store cannot be reached.
	Grace = 10 * time.Minute

	lookupTime = time.Second     // a look-up that takes longer has failed
	storeTime  = 5 * time.Second // any other question
	retryStore = time.Second     // between look-ups while the store cannot be reached

	goodKeys, badKeys = 100_000, 20_000 // look-ups remembered
	prefixTries       = 8               // one collision is rare, two in a row are a defect
)

// MinPepper is how many bytes a configured pepper has at least.
const MinPepper = 32

// RegistryOptions configures a Registry. Only Store is needed.
type RegistryOptions struct {
	Store Store
	// Pepper keys the hash of keys. Without one the store keeps one that all instances share. When
	// it changes, no key issued before is known any more.
	Pepper []byte
	Now    func() time.Time // time.Now
}

// Registry issues, finds and revokes keys. It is ready for concurrent use.
type Registry struct {
	store  Store
	hasher *hasher
	now    func() time.Time

	good, bad *cache
	asking    singleflight.Group
	trouble   atomic.Int64 // when the store last failed to answer a look-up, ns; 0: it did answer
	probing   atomic.Bool
}

// NewRegistry makes a Registry. The error says that the pepper is too short or that the store
// gave none.
func NewRegistry(ctx context.Context, o RegistryOptions) (*Registry, error) {
	r := &Registry{store: o.Store, now: o.Now, good: newCache(goodKeys), bad: newCache(badKeys)}
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

// Lookup finds the active key that a caller sent. Errors: *UnknownKeyError when it is not good,
// with the reason; ErrUnavailable when the store cannot be reached and the key was not used here
// lately.
func (r *Registry) Lookup(ctx context.Context, key string) (Record, error) {
	if len(key) != keyLength {
		return Record{}, unknown()
	}
	hash, now := r.hasher.hash(key), r.now()
	last, known := r.good.get(hash)
	if known && fresh(last, now) {
		return judge(last.record, now)
	}
	if !wellFormed(key) { // asked late: what is known is well formed
		return Record{}, unknown()
	}
	if e, ok := r.bad.get(hash); ok && fresh(e, now) {
		return Record{}, unknown()
	}
	record, err := (*Record)(nil), errResting
	if !r.storeRests(now) {
		record, err = r.fetch(ctx, hash, now)
	}
	switch {
	case err == nil:
		return judge(record, now)
	case errors.Is(err, ErrNoKey):
		return Record{}, unknown()
	case known && now.Sub(last.at) < Grace:
		return judge(last.record, now)
	}
	return Record{}, unavailable(err)
}

var errResting = errors.New("it did not answer a moment ago")

func fresh(e seen, now time.Time) bool { return now.Sub(e.at) < Staleness }

// storeRests reports whether the store is known not to answer and was asked a moment ago, or is
// being asked by somebody else: there is no use in every call waiting for it.
func (r *Registry) storeRests(now time.Time) bool {
	failed := r.trouble.Load()
	return failed != 0 && (r.probing.Load() || now.Sub(time.Unix(0, failed)) < retryStore)
}

// fetch asks the store, once for all who ask for the same key at the time.
func (r *Registry) fetch(ctx context.Context, hash [32]byte, now time.Time) (*Record, error) {
	found, err, _ := r.asking.Do(string(hash[:]), func() (any, error) {
		r.probing.Store(true)
		defer r.probing.Store(false)
		goodMark, badMark := r.good.mark(), r.bad.mark()
		// Others may wait for this answer, so whoever asked first must not be able to call it off.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTime)
		defer cancel()
		record, err := r.store.ByHash(ctx, hash)
		switch {
		case err == nil && subtle.ConstantTimeCompare(record.Hash[:], hash[:]) == 1:
			r.trouble.Store(0)
			r.good.put(hash, seen{&record, now}, goodMark)
			return &record, nil
		case err == nil, errors.Is(err, ErrNoKey):
			r.trouble.Store(0)
			r.bad.put(hash, seen{at: now}, badMark)
			return (*Record)(nil), ErrNoKey
		}
		r.trouble.Store(max(1, r.now().UnixNano()))
		return (*Record)(nil), err
	})
	return found.(*Record), err
}

func unknown() error {
	return &UnknownKeyError{fmt.Sprintf("the API key is not known; check that all %d characters of it were sent, or get one with POST /api/keys", keyLength)}
}

// judge says whether a key that was found may be used.
func judge(k *Record, now time.Time) (Record, error) {
	switch {
	case k.RevokedAt != nil:
		return Record{}, &UnknownKeyError{fmt.Sprintf("the API key %s was revoked at %s; get another one with POST /api/keys", k.Prefix, clock(*k.RevokedAt))}
	case !now.Before(k.ExpiresAt):
		return Record{}, &UnknownKeyError{fmt.Sprintf("the API key %s expired at %s; get another one with POST /api/keys", k.Prefix, clock(k.ExpiresAt))}
	}
	return *k, nil
}

func clock(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func unavailable(err error) error { return fmt.Errorf("%w: %w", ErrUnavailable, err) }

// reached passes ErrNoKey on and makes every other error ErrUnavailable.
func reached(err error) error {
	if err == nil || errors.Is(err, ErrNoKey) {
		return err
	}
	return unavailable(err)
}
