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
	keyScheme = "sl_"
	keyBytes  = 20 // 160 random bits cannot be guessed, so a fast hash suffices
	keyLength = len(keyScheme) + 2*keyBytes
)

// newKey returns a random API key.
func newKey() string {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never returns an error
	return keyScheme + hex.EncodeToString(b[:])
}

// isWellFormed reports whether a string has the format of a key. Other strings need not be looked
// up.
func isWellFormed(key string) bool { return len(key) == keyLength && hasKeyPrefix(key) }

// Prefix returns the prefix of a key, or "" for a text that does not have the format of a key.
func Prefix(key string) string {
	if !isWellFormed(key) {
		return ""
	}
	return key[:PrefixLength]
}

// isPrefix reports whether a text has the format of a key prefix.
func isPrefix(s string) bool { return len(s) == PrefixLength && hasKeyPrefix(s) }

func hasKeyPrefix(s string) bool {
	digits, ok := strings.CutPrefix(s, keyScheme)
	return ok && strings.Trim(digits, "0123456789abcdef") == ""
}

// hasher computes the stored hash of a key: HMAC-SHA-256 with the pepper. It is safe for concurrent
// use.
type hasher struct{ pool sync.Pool }

// keyedHash is pooled because its initialization costs more than hashing.
type keyedHash struct {
	mac hash.Hash
	key []byte // buffer for the key, which avoids an allocation
	sum []byte
}

func newHasher(pepper []byte) *hasher {
	return &hasher{sync.Pool{New: func() any {
		return &keyedHash{mac: hmac.New(sha256.New, pepper)}
	}}}
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

// Redact shortens every key in a text to its prefix. It is used for logs because clients may send
// keys in paths.
func Redact(text string) string {
	for from := 0; ; {
		at := strings.Index(text[from:], keyScheme)
		if at < 0 {
			return text
		}
		at += from
		end := at + len(keyScheme)
		for end < len(text) && strings.IndexByte("0123456789abcdefABCDEF", text[end]) >= 0 {
			end++
		}
		from = at + len(keyScheme)
		if end-at > PrefixLength {
			from = at + PrefixLength
			text = text[:from] + "…" + text[end:]
		}
	}
}
