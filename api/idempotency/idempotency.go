// Package idempotency stores the answers of requests that have the header Idempotency-Key, so that
// a request sent again has its effect once (draft-ietf-httpapi-idempotency-key-header).
//
// Answers are in Redis, so that any API process returns them. They are encrypted: POST /api/keys
// answers with an API key, of which the service otherwise stores a hash alone. The encryption key
// derives from the client's Idempotency-Key, of which the record has a hash alone too.
package idempotency

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Bounds of a Store.
const (
	TTL         = 24 * time.Hour
	MaxAnswer   = 64 << 10 // bytes of a body; larger ones are not stored
	callerBytes = 4 << 20  // of the answers of one caller
	totalBytes  = 32 << 20 // of all answers
	memoryShare = 0.05     // of maxmemory, for all answers
	// lockTime is the TTL of the lock of a request in progress, which is renewed. After a crash the
	// lock remains until then.
	lockTime   = 10 * time.Second
	renewEvery = 3 * time.Second
)

// Errors of Begin.
var (
	ErrInProgress = errors.New("a request with this Idempotency-Key is in progress")
	ErrMismatch   = errors.New("this Idempotency-Key was used for another request")
)

// Answer is a stored response.
type Answer struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   []byte            `json:"body"`
}

// Store keeps answers for TTL. It is safe for concurrent use.
type Store struct{ rdb redis.UniversalClient }

// New returns a Store.
func New(rdb redis.UniversalClient) *Store { return &Store{rdb} }

// Request is a request that has begun. Exactly one of Finish and Release ends it.
type Request struct {
	store  *Store
	name   string // of the record: a hash of caller and key
	caller string // hash
	secret [sha256.Size]byte
	print  string // hash of the request's content
	token  string // of the lock
	stop   context.CancelFunc
}

// hash returns the SHA-256 of the hashes of parts, whose borders count therefore.
func hash(parts ...string) [sha256.Size]byte {
	h := sha256.New()
	for _, p := range parts {
		one := sha256.Sum256([]byte(p))
		h.Write(one[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
}

func hexHash(parts ...string) string {
	h := hash(parts...)
	return hex.EncodeToString(h[:16])
}

// Begin begins a request of a caller. content identifies the request: method, path and body. It
// returns the answer if one is stored, and else a Request. Errors: ErrInProgress, ErrMismatch, and
// those of Redis.
func (s *Store) Begin(ctx context.Context, caller, key, content string) (*Request, *Answer, error) {
	r := &Request{
		store: s, name: hexHash("name", caller, key), caller: hexHash("caller", caller),
		secret: hash("secret", caller, key), print: hexHash("content", content), token: rand.Text(),
	}
	got, err := beginScript.Run(ctx, s.rdb, []string{lockKey(r.name), recordKey(r.name)},
		r.print, r.token, lockTime.Milliseconds()).StringSlice()
	if err != nil {
		return nil, nil, err
	}
	switch got[0] {
	case "begun":
		var renewing context.Context
		renewing, r.stop = context.WithCancel(context.WithoutCancel(ctx))
		go r.renew(renewing)
		return r, nil, nil
	case "locked":
		return nil, nil, ErrInProgress
	case "mismatch":
		return nil, nil, ErrMismatch
	}
	a, err := r.decrypt([]byte(got[1]))
	return nil, a, err
}

// renew renews the lock until ctx ends.
func (r *Request) renew(ctx context.Context) {
	tick := time.NewTicker(renewEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = renewScript.Run(ctx, r.store.rdb, []string{lockKey(r.name)},
				r.print+r.token, lockTime.Milliseconds()).Err() // tried again at the next tick
		}
	}
}

// Finish stores the answer and ends the request. An answer above MaxAnswer is not stored. The first
// answer of a request stays.
func (r *Request) Finish(ctx context.Context, a Answer) error {
	if len(a.Body) > MaxAnswer {
		return r.Release(ctx)
	}
	sealed, err := r.encrypt(a)
	if err != nil {
		return errors.Join(err, r.Release(ctx))
	}
	r.stop()
	return finishScript.Run(ctx, r.store.rdb, []string{lockKey(r.name), recordKey(r.name)},
		r.name, r.caller, r.print, r.print+r.token, sealed, len(sealed), TTL.Milliseconds(),
		callerBytes, totalBytes, memoryShare).Err()
}

// Release ends the request without an answer: it may be sent again.
func (r *Request) Release(ctx context.Context) error {
	r.stop()
	return releaseScript.Run(ctx, r.store.rdb, []string{lockKey(r.name)}, r.print+r.token).Err()
}

func (r *Request) sealer() (cipher.AEAD, error) {
	block, err := aes.NewCipher(r.secret[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

func (r *Request) encrypt(a Answer) ([]byte, error) {
	plain, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	return aead.Seal(nil, nil, plain, nil), nil
}

func (r *Request) decrypt(sealed []byte) (*Answer, error) {
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, err
	}
	a := &Answer{}
	return a, json.Unmarshal(plain, a)
}
