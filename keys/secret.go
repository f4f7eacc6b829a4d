package keys

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strings"
	"sync"
)

const (
	brand     = "sl_"
	keyBytes  = 20 // 160 random bits: too many to guess, so no slow hash is needed
	keyLength = len(brand) + 2*keyBytes
)

// newKey makes an API key.
func newKey() string {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails
	return brand + hex.EncodeToString(b[:])
}

// isWellFormed reports whether a text looks like a key of ours. What does not needs no look-up.
func isWellFormed(key string) bool { return len(key) == keyLength && hasKeyPrefix(key) }

// isPrefix reports whether a text can be the first characters of a key.
func isPrefix(s string) bool { return len(s) == PrefixLength && hasKeyPrefix(s) }

func hasKeyPrefix(s string) bool {
	digits, ok := strings.CutPrefix(s, brand)
	return ok && strings.Trim(digits, "0123456789abcdef") == ""
}

// hasher makes of a key what is kept of it: HMAC-SHA-256 under the pepper. It is safe for
// concurrent use.
type hasher struct{ pool sync.Pool }

// keyedHash is used again and again: setting one up costs more than the hash itself.
type keyedHash struct {
	mac hash.Hash
	key []byte // the key's text, where the hash can read it without an allocation
	sum []byte
}

func newHasher(pepper []byte) *hasher {
	return &hasher{sync.Pool{New: func() any { return &keyedHash{mac: hmac.New(sha256.New, pepper)} }}}
}

func (h *hasher) hash(key string) [32]byte {
	k := h.pool.Get().(*keyedHash)
	defer h.pool.Put(k)
	k.mac.Reset()
	k.key = append(k.key[:0], key...)
	k.mac.Write(k.key)
	clear(k.key)
	k.sum = k.mac.Sum(k.sum[:0])
	return [32]byte(k.sum)
}

// Redact shortens every key in a text to its prefix, for logs: people put keys where they do not
// belong, such as the path of a revocation.
func Redact(text string) string {
	for from := 0; ; {
		at := strings.Index(text[from:], brand)
		if at < 0 {
			return text
		}
		at += from
		end := at + len(brand)
		for end < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
			end++
		}
		from = at + len(brand)
		if end-at > PrefixLength {
			from = at + PrefixLength
			text = text[:from] + "…" + text[end:]
		}
	}
}
