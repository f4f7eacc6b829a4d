package keys

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"
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

// wellFormed reports whether a text looks like a key of ours. What does not needs no look-up.
func wellFormed(key string) bool { return len(key) == keyLength && branded(key) }

// isPrefix reports whether a text can be the first characters of a key.
func isPrefix(s string) bool { return len(s) == PrefixLength && branded(s) }

func branded(s string) bool {
	digits, ok := strings.CutPrefix(s, brand)
	return ok && strings.Trim(digits, "0123456789abcdef") == ""
}

// hashed is what is kept of a key.
func hashed(pepper []byte, key string) (sum [32]byte) {
	mac := hmac.New(sha256.New, pepper)
	mac.Write([]byte(key))
	mac.Sum(sum[:0])
	return sum
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
