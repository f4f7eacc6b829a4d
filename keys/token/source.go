package token

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

// asymmetric lists the algorithms that a JWK set supports.
var asymmetric = []string{"RS256", "ES256", "EdDSA"}

const (
	minRSA    = 2048            // bits
	fetchTime = 5 * time.Second // time limit for fetching a JWK set
)

// source returns the configured source and its algorithms.
func (o Options) source(ctx context.Context) (source, []string, error) {
	sources := 0
	for _, is := range []bool{o.Secret != nil, o.PublicKey != "", o.JWKSURL != ""} {
		if is {
			sources++
		}
	}
	switch {
	case sources != 1:
		return nil, nil,
			errors.New("give one of a secret, a public key and the address of a JWK set")
	case len(o.Algorithms) > 0 && o.JWKSURL == "":
		return nil, nil, errors.New(
			"algorithms are chosen for a JWK set only; a secret and a public key determine theirs",
		)
	case o.Secret != nil:
		if len(o.Secret) < MinSecret {
			return nil, nil, fmt.Errorf("the secret must have at least %d bytes, got %d", MinSecret,
				len(o.Secret))
		}
		return fixed(o.Secret), []string{"HS256"}, nil
	case o.PublicKey != "":
		key, algorithm, err := publicKey(o.PublicKey)
		return fixed(key), []string{algorithm}, err
	}
	return o.keySet(ctx)
}

func fixed(key any) source {
	return func(context.Context, *jwt.Token) (any, error) { return key, nil }
}

// publicKey decodes a public key from PEM text or from a PEM file.
func publicKey(text string) (key any, algorithm string, err error) {
	raw := []byte(text)
	if !strings.Contains(text, "-----BEGIN") {
		if raw, err = os.ReadFile(text); err != nil {
			return nil, "", fmt.Errorf(
				"the public key is neither a PEM text nor a file that can be read: %w", err,
			)
		}
	}
	block, _ := pem.Decode(raw)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, "", errors.New(
			`the public key must be PEM of the type "PUBLIC KEY" (openssl pkey -pubout)`,
		)
	}
	if key, err = x509.ParsePKIXPublicKey(block.Bytes); err != nil {
		return nil, "", fmt.Errorf("the public key cannot be read: %w", err)
	}
	switch k := key.(type) {
	case *rsa.PublicKey:
		if k.N.BitLen() < minRSA {
			return nil, "", fmt.Errorf("the RSA key has %d bits, %d are needed",
				k.N.BitLen(), minRSA)
		}
		return k, "RS256", nil
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return k, "ES256", nil
		}
	case ed25519.PublicKey:
		return k, "EdDSA", nil
	}
	return nil, "", errors.New("the public key must be RSA, ECDSA on P-256, or Ed25519")
}

// keySet fetches a JWK set. For an unknown key id it fetches the set again, at most once per five
// minutes.
func (o Options) keySet(ctx context.Context) (source, []string, error) {
	if u, err := url.Parse(o.JWKSURL); err != nil || u.Host == "" ||
		u.Scheme != "https" && u.Scheme != "http" {
		return nil, nil, errors.New(
			"the address of the JWK set must be a URL that begins with https:// (or http:// within a trusted network)",
		)
	}
	algorithms := asymmetric
	if len(o.Algorithms) > 0 {
		algorithms = o.Algorithms
	}
	for _, a := range algorithms {
		if !slices.Contains(asymmetric, a) {
			return nil, nil, fmt.Errorf("the algorithm %q is not one of %s", a,
				strings.Join(asymmetric, ", "))
		}
	}
	set, err := keyfunc.NewDefaultOverrideCtx(ctx, []string{o.JWKSURL}, keyfunc.Override{
		HTTPTimeout: fetchTime, RateLimitWaitMax: fetchTime,
		RefreshErrorHandlerFunc: func(string) func(context.Context, error) {
			return func(ctx context.Context, err error) {
				o.Log.ErrorContext(ctx,
					"the JWK set could not be fetched; tokens signed with keys not fetched before are rejected",
					"error", err)
			}
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the JWK set cannot be used: %w", err)
	}
	return func(ctx context.Context, t *jwt.Token) (any, error) {
		return set.KeyfuncCtx(ctx)(t)
	}, algorithms, nil
}
