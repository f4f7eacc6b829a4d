package mcp

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// sessionTTL is the maximum age of a session. Abandoned sessions hold no resources; the limit only
// bounds the validity of their ids.
const sessionTTL = 7 * 24 * time.Hour

// Sizes in bytes of the parts of a session id: a random number, the creation time and the
// signature.
const (
	nonceBytes = 16
	timeBytes  = 8
	signBytes  = 16
)

// secretKey is the Redis key of the secret that signs sessions. All instances on one Redis share
// it.
const secretKey = "slipstick:mcp:secret"

// Limits of Redis access. Redis may be slow or unavailable, so a validation must rarely wait for it
// and never for long.
const (
	secretTimeout  = 500 * time.Millisecond
	secretInterval = time.Second
)

// maxEndedSessions is the maximum number of ended sessions that an instance remembers.
const maxEndedSessions = 20000

// maxVerifiedSessions is the maximum number of sessions whose verification is cached.
const maxVerifiedSessions = 10000

// sessions creates and verifies sessions. A session id is signed and not stored, so handshakes use
// no memory and requests do not read Redis. A session remains valid after restarts if an instance
// or Redis still has the secret.
type sessions struct {
	rdb redis.UniversalClient // nil if the secret is local to this process
	log *slog.Logger
	now func() time.Time

	mu       sync.RWMutex
	secrets  [][]byte  // signing secret, followed by its predecessor
	lastPoll time.Time // time of the last read from Redis
	shared   bool      // Redis has answered

	// ended holds sessions that a client has ended. An evicted session becomes valid again until it
	// expires, which is harmless because a session grants no rights.
	ended *boundedSet
	// verified holds sessions whose signature was recently verified.
	verified *boundedSet
}

func newSessions(rdb redis.UniversalClient, log *slog.Logger, now func() time.Time) *sessions {
	own := make([]byte, 32)
	_, _ = rand.Read(own) // never fails: the runtime crashes the program instead
	s := &sessions{
		rdb: rdb, log: log, now: now, secrets: [][]byte{own},
		ended:    newBoundedSet(maxEndedSessions),
		verified: newBoundedSet(maxVerifiedSessions),
	}
	s.refresh(context.Background())
	return s
}

// create returns the id of a new session.
func (s *sessions) create() string {
	s.mu.RLock()
	shared := s.shared
	s.mu.RUnlock()
	if !shared {
		s.refresh(context.Background())
	}
	name := make([]byte, nonceBytes+timeBytes, nonceBytes+timeBytes+signBytes)
	_, _ = rand.Read(name[:nonceBytes])
	binary.BigEndian.PutUint64(name[nonceBytes:], uint64(s.now().Unix()))
	s.mu.RLock()
	defer s.mu.RUnlock()
	return base64.RawURLEncoding.EncodeToString(append(name, sign(s.secrets[0], name)...))
}

func sign(secret, name []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(name)
	return h.Sum(nil)[:signBytes]
}

// valid reports whether this instance, or another instance with the same secret, created the
// session. It returns false for an expired or ended session.
func (s *sessions) valid(ctx context.Context, id string) bool {
	var buf [nonceBytes + timeBytes + signBytes]byte
	if len(id) != base64.RawURLEncoding.EncodedLen(len(buf)) {
		return false
	}
	if _, err := base64.RawURLEncoding.Strict().Decode(buf[:], []byte(id)); err != nil {
		return false
	}
	name, signature := buf[:nonceBytes+timeBytes], buf[nonceBytes+timeBytes:]
	made := time.Unix(int64(binary.BigEndian.Uint64(name[nonceBytes:])), 0)
	if age := s.now().Sub(made); age > sessionTTL || age < -time.Hour || s.ended.has(id) {
		return false
	}
	// If the signature is not valid, refresh the secret: another instance may have set a new one
	// after Redis lost its data.
	good := s.verified.has(id)
	if !good && (s.signed(name, signature) || s.refresh(ctx) && s.signed(name, signature)) {
		s.verified.add(id)
		good = true
	}
	return good
}

func (s *sessions) signed(name, signature []byte) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, secret := range s.secrets {
		if hmac.Equal(sign(secret, name), signature) {
			return true
		}
	}
	return false
}

// end makes the session invalid on this instance.
func (s *sessions) end(id string) { s.ended.add(id) }

// refresh loads the secret from Redis, or stores its own if Redis has none. It reports whether the
// secret changed. It does nothing if Redis is unavailable, or was read less than secretInterval
// ago.
func (s *sessions) refresh(ctx context.Context) bool {
	if s.rdb == nil {
		return false
	}
	s.mu.Lock()
	if s.now().Sub(s.lastPoll) < secretInterval {
		s.mu.Unlock()
		return false
	}
	s.lastPoll = s.now()
	own := s.secrets[0]
	s.mu.Unlock()

	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), secretTimeout)
	defer done()
	if err := s.rdb.SetNX(ctx, secretKey, own, 0).Err(); err != nil {
		s.log.Warn(
			"the secret of MCP sessions could not be shared; sessions made now hold on this instance only",
			"error", err,
		)
		return false
	}
	held, err := s.rdb.Get(ctx, secretKey).Bytes()
	if err != nil || len(held) != len(own) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shared = true
	if hmac.Equal(held, own) {
		return false
	}
	s.secrets = [][]byte{held, own}
	return true
}
