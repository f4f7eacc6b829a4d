// Package token verifies the JWTs that authorize key management, and signs JWTs for development.
//
// A service has one source of signature keys: a secret, a public key or the URL of a JWK set. The
// algorithm of a secret is HS256. The type of a public key selects RS256, ES256 or EdDSA. The
// source determines the algorithms, not the token. A public key can therefore not be misused as a
// secret.
package token

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/golang-jwt/jwt/v5"

	"slipstick/keys"
)

const (
	// Leeway is the tolerated clock skew.
	Leeway = 30 * time.Second
	// MinSecret is the minimum length of a secret in bytes. It equals the output length of HS256
	// (RFC 7518, 3.2).
	MinSecret = 32

	maxToken   = 8 << 10
	maxSubject = 255 // characters
)

// Options configures a Verifier. Exactly one of Secret, PublicKey and JWKSURL is required.
type Options struct {
	Secret     []byte
	PublicKey  string // PEM text, or the path of a PEM file
	JWKSURL    string
	Algorithms []string // for JWKSURL; default RS256, ES256 and EdDSA

	Issuer, Audience string // required in every token; "" disables the check

	Log *slog.Logger     // logs failures to fetch the JWK set; default slog.Default()
	Now func() time.Time // default time.Now
}

// Verifier verifies tokens. It is safe for concurrent use.
type Verifier struct {
	parser *jwt.Parser
	keys   source
}

// source returns the key that verifies a token's signature.
type source func(context.Context, *jwt.Token) (any, error)

var _ keys.Verifier = (*Verifier)(nil)

// New returns a Verifier. It fetches a JWK set immediately, and then hourly and for unknown key ids
// until ctx ends. An error names the invalid option.
func New(ctx context.Context, o Options) (*Verifier, error) {
	o.Log = cmp.Or(o.Log, slog.Default())
	find, algorithms, err := o.source(ctx)
	if err != nil {
		return nil, err
	}
	rules := []jwt.ParserOption{
		jwt.WithValidMethods(algorithms),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt(), jwt.WithLeeway(Leeway),
		jwt.WithStrictDecoding(),
	}
	if o.Issuer != "" {
		rules = append(rules, jwt.WithIssuer(o.Issuer))
	}
	if o.Audience != "" {
		rules = append(rules, jwt.WithAudience(o.Audience))
	}
	if o.Now != nil {
		rules = append(rules, jwt.WithTimeFunc(o.Now))
	}
	return &Verifier{jwt.NewParser(rules...), find}, nil
}

// claims are the claims that Verify reads.
type claims struct {
	jwt.RegisteredClaims
	Tier  keys.Tier `json:"tier,omitempty"`
	Admin bool      `json:"admin,omitempty"`
}

// Verify implements keys.Verifier.
func (v *Verifier) Verify(ctx context.Context, token string) (keys.Claims, error) {
	if len(token) > maxToken {
		return keys.Claims{}, invalid("the token is longer than %d bytes", maxToken)
	}
	var c claims
	_, err := v.parser.ParseWithClaims(token, &c, func(t *jwt.Token) (any, error) {
		if _, has := t.Header["crit"]; has {
			return nil, errors.New("critical header parameters are not understood")
		}
		return v.keys(ctx, t)
	})
	if err != nil {
		return keys.Claims{}, invalid("%s", reason(err)) // c may contain unverified claims
	}
	switch {
	case c.Subject == "":
		return keys.Claims{}, invalid("the token has no subject (claim sub)")
	case utf8.RuneCountInString(c.Subject) > maxSubject || strings.ContainsFunc(c.Subject,
		unicode.IsControl):
		return keys.Claims{}, invalid(
			"the token's subject (claim sub) is longer than %d characters or holds control characters",
			maxSubject,
		)
	case c.Tier != "" && !c.Tier.Paid():
		return keys.Claims{}, invalid("the token's tier (claim tier) must be one of %s, %s, %s",
			keys.Developer, keys.Network, keys.Agent)
	}
	return keys.Claims{Subject: c.Subject, Tier: c.Tier, Admin: c.Admin}, nil
}

func invalid(format string, args ...any) error {
	return &keys.InvalidTokenError{Reason: fmt.Sprintf(format, args...)}
}

// reason returns an error text that does not quote the token, unlike the errors of the library.
// Claims are checked after the signature, so only the holder of a genuine token learns about them.
func reason(err error) string {
	for _, r := range []struct {
		err  error
		text string
	}{
		{jwt.ErrTokenMalformed, "the token is not a JWT"},
		{jwt.ErrTokenUnverifiable, "the token's signing key is not known here"},
		{jwt.ErrTokenSignatureInvalid, "the token's signature or algorithm is not accepted"},
		{jwt.ErrTokenExpired, "the token has expired"},
		{jwt.ErrTokenNotValidYet, "the token is not valid yet"},
		{jwt.ErrTokenUsedBeforeIssued, "the token was issued in the future"},
		{jwt.ErrTokenInvalidAudience, "the token is for another audience (claim aud)"},
		{jwt.ErrTokenInvalidIssuer, "the token is from another issuer (claim iss)"},
		{jwt.ErrTokenRequiredClaimMissing, "the token lacks a claim that is needed: exp always, iss and aud where they are configured"},
	} {
		if errors.Is(err, r.err) {
			return r.text
		}
	}
	return "the token is not accepted"
}

// Mint signs a token with a secret, for development. It omits an empty issuer or audience.
func Mint(
	secret []byte, identity keys.Claims, issuer, audience string, issued time.Time,
	ttl time.Duration,
) (string, error) {
	c := claims{Tier: identity.Tier, Admin: identity.Admin, RegisteredClaims: jwt.RegisteredClaims{
		Subject: identity.Subject, Issuer: issuer, IssuedAt: jwt.NewNumericDate(issued),
		ExpiresAt: jwt.NewNumericDate(issued.Add(ttl)),
	}}
	if audience != "" {
		c.Audience = jwt.ClaimStrings{audience}
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, c).SignedString(secret)
}
