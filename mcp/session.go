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

// sessionTTL is how long a session may last. There is nothing to give back when one is left
// behind; the limit only keeps names from being good for ever.
const sessionTTL = 7 * 24 * time.Hour

// Sizes of the parts of a session's name: a random number, when it was made, and the signature.
const (
	nonceBytes = 16
	timeBytes  = 8
	signBytes  = 16
)

// secretKey holds the secret that signs sessions, for all instances on one Redis.
const secretKey = "slipstick:mcp:secret"

// Redis may be slow or away; a session's check must not wait for it long or often.
const (
	secretTimeout  = 500 * time.Millisecond
	secretInterval = time.Second
)

// maxEndedSessions is how many ended sessions an instance remembers.
const maxEndedSessions = 20000

// maxVerifiedSessions is how many sessions an instance need not check again.
const maxVerifiedSessions = 10000

// sessions makes and knows sessions. A session's name is signed, so nothing is stored: no flood
// of handshakes fills a memory, no request asks Redis, and a session goes on when instances come
// and go, as long as one of them or Redis knows the secret.
type sessions struct {
	rdb redis.UniversalClient // nil: the secret is this process's own
	log *slog.Logger
	now func() time.Time

	mu       sync.RWMutex
	secrets  [][]byte  // the one that signs, and the one before it
	lastPoll time.Time // when Redis was last asked
	shared   bool      // Redis has answered

	// ended are those a client has ended; forgetting one does no harm.
	ended *boundedSet
	// good are those whose signature was found good lately.
	verified *boundedSet
}

func newSessions(rdb redis.UniversalClient, log *slog.Logger, now func() time.Time) *sessions {
	own := make([]byte, 32)
	_, _ = rand.Read(own) // never fails: the runtime ends the program instead
	s := &sessions{rdb: rdb, log: log, now: now, secrets: [][]byte{own}, ended: newBoundedSet(maxEndedSessions), verified: newBoundedSet(maxVerifiedSessions)}
	s.refresh(context.Background())
	return s
}

// create makes a session.
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

// valid says that the session was made here or by another instance, is not too old and was not
// ended.
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
	// Another instance may have begun a new secret after Redis lost its memory.
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

// end makes the session unknown.
func (s *sessions) end(id string) { s.ended.add(id) }

// refresh takes over the secret that Redis holds, putting ours there when it holds none. It
// reports whether there is a new one. Without Redis things stay as they are.
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
		s.log.Warn("the secret of MCP sessions could not be shared; sessions made now hold on this instance only", "error", err)
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
