// Package idempotency stores the responses to requests that have an Idempotency-Key header. A
// retried request therefore takes effect once (draft-ietf-httpapi-idempotency-key-header).
//
// Responses are stored in Redis, where any API process can read them. They are encrypted: POST
// /api/keys returns an API key, of which the service stores only a hash elsewhere. The encryption
// key derives from the client's Idempotency-Key, of which the record also contains only a hash.
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

// Limits of a Store.
const (
	TTL         = 24 * time.Hour
	MaxResponse = 64 << 10 // maximum body size in bytes; larger bodies are not stored
	callerBytes = 4 << 20  // maximum size in bytes of the responses of one caller
	totalBytes  = 32 << 20 // maximum size in bytes of all responses
	memoryShare = 0.05     // maximum share of Redis maxmemory for all responses
	// lockTime is the TTL of the lock of a request in progress. The lock is renewed until the
	// request ends; after a crash it expires.
	lockTime   = 10 * time.Second
	renewEvery = 3 * time.Second
)

// Errors that Begin returns.
var (
	ErrInProgress = errors.New("a request with this Idempotency-Key is in progress")
	ErrMismatch   = errors.New("this Idempotency-Key was used for another request")
)

// Response is a stored response.
type Response struct {
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   []byte            `json:"body"`
}

// Store stores responses for TTL. It is safe for concurrent use.
type Store struct{ rdb redis.UniversalClient }

// New returns a Store in the given Redis.
func New(rdb redis.UniversalClient) *Store { return &Store{rdb} }

// Request is a request in progress. The caller must end it with exactly one call of Finish or
// Release.
type Request struct {
	store  *Store
	name   string // name of the record: a hash of caller and key
	caller string // hash
	secret [sha256.Size]byte
	print  string // hash of the request content
	token  string // token of the lock
	stop   context.CancelFunc
}

// hash returns the SHA-256 of the hashes of the parts. Hashing each part first makes the boundaries
// significant.
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

// Begin begins a request of a caller. content identifies the request: method, path and body. Begin
// returns the stored response if there is one, and otherwise a Request. It returns ErrInProgress,
// ErrMismatch or an error of Redis.
func (s *Store) Begin(
	ctx context.Context, caller, key, content string,
) (*Request, *Response, error) {
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
				r.print+r.token, lockTime.Milliseconds()).Err() // the next tick retries
		}
	}
}

// Finish stores the response and ends the request. It does not store a response above MaxResponse,
// and it does not replace an earlier response.
func (r *Request) Finish(ctx context.Context, a Response) error {
	if len(a.Body) > MaxResponse {
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

// Release ends the request without storing a response. The client may send the request again.
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

func (r *Request) encrypt(a Response) ([]byte, error) {
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

func (r *Request) decrypt(sealed []byte) (*Response, error) {
	aead, err := r.sealer()
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, nil, sealed, nil)
	if err != nil {
		return nil, err
	}
	a := &Response{}
	return a, json.Unmarshal(plain, a)
}
