package token_test

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"slipstick/keys"
	"slipstick/keys/token"
)

const issuer, audience = "https://login.example.com", "slipstick"

var (
	now    = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	secret = []byte("a secret of at least thirty-two bytes")
)

func clock() time.Time { return now }

func verifier(t *testing.T, o token.Options) *token.Verifier {
	t.Helper()
	o.Now, o.Issuer, o.Audience, o.Log = clock, issuer, audience, slog.New(slog.DiscardHandler)
	v, err := token.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// good returns claims that Verify accepts.
func good() jwt.MapClaims {
	return jwt.MapClaims{"sub": "ann", "tier": "network", "iss": issuer, "aud": audience,
		"iat": now.Unix(), "exp": now.Add(time.Hour).Unix()}
}

// but returns the claims of good with one claim changed, or omitted if the value is nil.
func but(claim string, value any) jwt.MapClaims {
	c := good()
	if c[claim] = value; value == nil {
		delete(c, claim)
	}
	return c
}

func sign(t *testing.T, method jwt.SigningMethod, key any, c jwt.MapClaims,
	header ...string) string {
	t.Helper()
	made := jwt.NewWithClaims(method, c)
	for i := 0; i+1 < len(header); i += 2 {
		made.Header[header[i]] = header[i+1]
	}
	s, err := made.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func rejects(t *testing.T, v *token.Verifier, jwt, want string) {
	t.Helper()
	claims, err := v.Verify(t.Context(), jwt)
	var bad *keys.InvalidTokenError
	if !errors.As(err, &bad) || !strings.Contains(bad.Reason, want) {
		t.Errorf("got %v, want %q", err, want)
	}
	if claims != (keys.Claims{}) {
		t.Errorf("a rejected token has the claims %+v", claims)
	}
	if err != nil && len(jwt) > 20 && strings.Contains(err.Error(), jwt[:20]) {
		t.Errorf("the reason quotes the token: %v", err)
	}
}

func accepts(t *testing.T, v *token.Verifier, jwt string, want keys.Claims) {
	t.Helper()
	if claims, err := v.Verify(t.Context(), jwt); err != nil || claims != want {
		t.Errorf("%+v %v", claims, err)
	}
}

var ann = keys.Claims{Subject: "ann", Tier: keys.Network}

func TestClaims(t *testing.T) {
	v := verifier(t, token.Options{Secret: secret})
	at := func(d time.Duration) int64 { return now.Add(d).Unix() }
	for _, c := range []struct {
		name   string
		claims jwt.MapClaims
		want   string // "" when accepted
	}{
		{"good", good(), ""},
		{"expired within the leeway", but("exp", at(-29*time.Second)), ""},
		{"expired", but("exp", at(-31*time.Second)), "expired"},
		{"expired long ago", but("exp", 0), "expired"},
		{"no exp", but("exp", nil), "exp always"},
		{"exp is text", but("exp", "tomorrow"), "not a JWT"},
		{"not valid yet, within the leeway", but("nbf", at(29*time.Second)), ""},
		{"not valid yet", but("nbf", at(31*time.Second)), "not valid yet"},
		{"issued in the future", but("iat", at(time.Minute)), "future"},
		{"another issuer", but("iss", "https://evil.example.com"), "another issuer"},
		{"no issuer", but("iss", nil), "iss and aud"},
		{"another audience", but("aud", "another"), "another audience"},
		{"several audiences", but("aud", []string{"another", audience}), ""},
		{"no audience", but("aud", nil), "iss and aud"},
		{"no subject", but("sub", nil), "no subject"},
		{"an empty subject", but("sub", ""), "no subject"},
		{"a subject that is a number", but("sub", 7), "not a JWT"},
		{"a subject with a NUL", but("sub", "ann\x00"), "control characters"},
		{"a long subject", but("sub", strings.Repeat("é", 256)), "longer than 255"},
		{"a subject just short enough", but("sub", strings.Repeat("é", 255)), ""},
		{"tier free", but("tier", "free"), "developer, network, agent"},
		{"tier anonymous", but("tier", "anonymous"), "developer, network, agent"},
		{"an unknown tier", but("tier", "gold"), "developer, network, agent"},
		{"tier in capitals", but("tier", "Developer"), "developer, network, agent"},
		{"a tier that is a list", but("tier", []string{"agent"}), "not a JWT"},
		{"no tier", but("tier", nil), ""},
		{"admin as text", but("admin", "true"), "not a JWT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := sign(t, jwt.SigningMethodHS256, secret, c.claims)
			if c.want != "" {
				rejects(t, v, made, c.want)
				return
			}
			if _, err := v.Verify(t.Context(), made); err != nil {
				t.Error(err)
			}
		})
	}
	accepts(t, v, sign(t, jwt.SigningMethodHS256, secret, good()), ann)
	accepts(t, v, sign(t, jwt.SigningMethodHS256, secret, but("tier", nil)),
		keys.Claims{Subject: "ann"})
	accepts(t, v, sign(t, jwt.SigningMethodHS256, secret, but("admin", true)),
		keys.Claims{Subject: "ann", Tier: keys.Network, Admin: true})
}

// parts returns a token with the given header, claims and signature, which need not match.
func parts(header, claims string, signature []byte) string {
	e := base64.RawURLEncoding
	return e.EncodeToString([]byte(header)) + "." + e.EncodeToString([]byte(claims)) + "." +
		e.EncodeToString(signature)
}

func TestAttacks(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public := publicPEM(t, &key.PublicKey)
	byKey, bySecret := verifier(t, token.Options{PublicKey: public}),
		verifier(t, token.Options{Secret: secret})
	claims, err := json.Marshal(good())
	if err != nil {
		t.Fatal(err)
	}
	genuine := sign(t, jwt.SigningMethodHS256, secret, good())
	accepts(t, bySecret, genuine, ann)
	accepts(t, byKey, sign(t, jwt.SigningMethodRS256, key, good()), ann)
	head, rest, _ := strings.Cut(genuine, ".")
	body, signature, _ := strings.Cut(rest, ".")
	forged := base64.RawURLEncoding.EncodeToString(bytes.Replace(claims, []byte("ann"),
		[]byte("bob"), 1))
	const signatureBad = "signature or algorithm"

	for name, c := range map[string]struct {
		v         *token.Verifier
		jwt, want string
	}{
		"alg none": {bySecret,
			sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good()), signatureBad},
		"alg none against a public key": {byKey,
			sign(t, jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, good()), signatureBad},
		"alg None": {bySecret, parts(`{"alg":"None","typ":"JWT"}`,
			string(claims), nil), "not known"},
		"no alg": {bySecret, parts(`{"typ":"JWT"}`, string(claims), nil),
			"not known"},
		"alg is a number": {bySecret, parts(`{"alg":256}`, string(claims), nil),
			"not known"},
		"key confusion, PEM as the secret": {byKey, sign(t, jwt.SigningMethodHS256, []byte(public),
			good()), signatureBad},
		"key confusion, DER as the secret": {byKey, sign(t, jwt.SigningMethodHS256,
			x509.MarshalPKCS1PublicKey(&key.PublicKey), good()), signatureBad},
		"RS256 against a secret": {bySecret, sign(t, jwt.SigningMethodRS256, key,
			good()), signatureBad},
		"PS256 where RS256 is meant": {byKey, sign(t, jwt.SigningMethodPS256, key, good()),
			signatureBad},
		"RS512 where RS256 is meant": {byKey, sign(t, jwt.SigningMethodRS512, key, good()),
			signatureBad},
		"HS512 where HS256 is meant": {bySecret, sign(t, jwt.SigningMethodHS512, secret,
			good()), signatureBad},
		"another secret": {bySecret, sign(t, jwt.SigningMethodHS256,
			[]byte(strings.Repeat("x", 32)), good()), signatureBad},
		"claims exchanged": {bySecret, head + "." + forged + "." + signature,
			signatureBad},
		"signature left out":           {bySecret, head + "." + body + ".", signatureBad},
		"signature cut":                {bySecret, genuine[:len(genuine)-8], signatureBad},
		"padding behind the signature": {bySecret, genuine + "=", "not a JWT"},
		"a fourth part":                {bySecret, genuine + ".x", "not a JWT"},
		"two parts":                    {bySecret, head + "." + body, "not a JWT"},
		"nothing":                      {bySecret, "", "not a JWT"},
		"not base64":                   {bySecret, "@@.@@.@@", "not a JWT"},
		"critical header": {bySecret, sign(t, jwt.SigningMethodHS256, secret,
			good(), "crit", "exp"), "not known"},
		"1 MB": {bySecret, sign(t, jwt.SigningMethodHS256, secret,
			but("sub", strings.Repeat("a", 1<<20))), "longer than"},
		"1 MB of dots": {bySecret, strings.Repeat(".", 1<<20), "longer than"},
		"own key in the header": {byKey, sign(t, jwt.SigningMethodHS256, secret, good(),
			"jwk", `{"kty":"oct"}`), signatureBad},
		"key by address in the header": {byKey, sign(t, jwt.SigningMethodHS256, secret, good(),
			"jku", "https://evil.example.com"), signatureBad},
		"path trick in the key id": {bySecret, sign(t, jwt.SigningMethodHS256,
			[]byte(strings.Repeat("\x00", 32)), good(), "kid", "../../dev/null"), signatureBad},
		"SQL in the key id": {bySecret, sign(t, jwt.SigningMethodHS256,
			[]byte(strings.Repeat("k", 32)), good(), "kid", "' UNION SELECT 'k"), signatureBad},
		"claims that are no object": {bySecret, signRaw(t, `{"alg":"HS256"}`, `["sub"]`),
			"not a JWT"},
		"claims nested a thousand deep": {bySecret,
			signRaw(t, `{"alg":"HS256"}`, strings.Repeat("[", 1000)), "not a JWT"},
		"the last of two subjects is empty": {bySecret,
			signRaw(t, `{"alg":"HS256"}`, strings.TrimSuffix(string(claims), "}")+`,"sub":""}`),
			"no subject"},
	} {
		t.Run(name, func(t *testing.T) { rejects(t, c.v, c.jwt, c.want) })
	}
}

func signRaw(t *testing.T, header, claims string) string {
	t.Helper()
	text := strings.TrimSuffix(parts(header, claims, nil), ".")
	signature, err := jwt.SigningMethodHS256.Sign(text, secret)
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func publicPEM(t *testing.T, key crypto.PublicKey) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func TestPublicKeys(t *testing.T) {
	rsaKey, err1 := rsa.GenerateKey(rand.Reader, 2048)
	ecKey, err2 := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, edKey, err3 := ed25519.GenerateKey(rand.Reader)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method jwt.SigningMethod
		key    crypto.Signer
	}{"RS256": {jwt.SigningMethodRS256, rsaKey}, "ES256": {jwt.SigningMethodES256, ecKey},
		"EdDSA": {jwt.SigningMethodEdDSA, edKey}} {
		t.Run(name, func(t *testing.T) {
			text := publicPEM(t, c.key.Public())
			path := filepath.Join(t.TempDir(), "key.pem")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			made := sign(t, c.method, c.key, good())
			accepts(t, verifier(t, token.Options{PublicKey: text}), made, ann)
			accepts(t, verifier(t, token.Options{PublicKey: path}), made, ann)
			rejects(t, verifier(t, token.Options{Secret: secret}), made, "signature or algorithm")
		})
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	small, err1 := rsa.GenerateKey(rand.Reader, 1024)
	p384, err2 := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err := errors.Join(err1, err2); err != nil {
		t.Skipf("this build of Go makes no weak keys to test with: %v", err)
	}
	for name, c := range map[string]struct {
		o    token.Options
		want string
	}{
		"nothing": {token.Options{}, "give one of"},
		"two sources": {token.Options{Secret: secret, JWKSURL: "https://x/y"},
			"give one of"},
		"a short secret": {token.Options{Secret: secret[:31]},
			"at least 32 bytes, got 31"},
		"an empty secret": {token.Options{Secret: []byte{}},
			"at least 32 bytes, got 0"},
		"no such file": {token.Options{PublicKey: "nowhere.pem"}, "no such file"},
		"PEM of nothing": {
			token.Options{PublicKey: "-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----"},
			"public key"},
		"a private key": {
			token.Options{PublicKey: string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
				Bytes: []byte("x")}))}, `type "PUBLIC KEY"`},
		"a small RSA key": {token.Options{PublicKey: publicPEM(t, small.Public())},
			"1024 bits"},
		"another curve": {token.Options{PublicKey: publicPEM(t, p384.Public())},
			"P-256"},
		"a JWK set that is no URL": {token.Options{JWKSURL: "login.example.com/keys"},
			"begins with https://"},
		"a JWK set on disk": {token.Options{JWKSURL: "file:///etc/passwd"},
			"begins with https://"},
		"HS256 with a JWK set": {token.Options{JWKSURL: "https://x/y",
			Algorithms: []string{"HS256"}}, `"HS256" is not one of`},
		"none with a JWK set": {token.Options{JWKSURL: "https://x/y",
			Algorithms: []string{"none"}}, `"none" is not one of`},
		"algorithms beside a secret": {token.Options{Secret: secret,
			Algorithms: []string{"HS256"}}, "for a JWK set only"},
		"algorithms beside a PEM key": {token.Options{PublicKey: "x",
			Algorithms: []string{"RS256"}}, "for a JWK set only"},
	} {
		if _, err := token.New(t.Context(), c.o); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// keyServer serves a JWK set and counts the requests.
type keyServer struct {
	*httptest.Server
	mu      sync.Mutex
	keys    []map[string]string
	fetched atomic.Int32
}

func serveKeys(t *testing.T) *keyServer {
	s := &keyServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		s.fetched.Add(1)
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": s.keys})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *keyServer) add(kid string, key *rsa.PublicKey) {
	e := base64.RawURLEncoding
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = append(s.keys, map[string]string{
		"kty": "RSA", "kid": kid, "alg": "RS256", "use": "sig",
		"n": e.EncodeToString(key.N.Bytes()),
		"e": e.EncodeToString(big.NewInt(int64(key.E)).Bytes()),
	})
}

func TestKeySet(t *testing.T) {
	first, err1 := rsa.GenerateKey(rand.Reader, 2048)
	second, err2 := rsa.GenerateKey(rand.Reader, 2048)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	s := serveKeys(t)
	s.add("one", &first.PublicKey)
	// A symmetric key in the set must not verify tokens.
	s.mu.Lock()
	s.keys = append(s.keys, map[string]string{"kty": "oct", "kid": "shared",
		"k": base64.RawURLEncoding.EncodeToString(secret)})
	s.mu.Unlock()
	v := verifier(t, token.Options{JWKSURL: s.URL})
	accepts(t, v, sign(t, jwt.SigningMethodRS256, first, good(), "kid", "one"), ann)
	rejects(t, v, sign(t, jwt.SigningMethodHS256, secret, good(), "kid", "shared"),
		"signature or algorithm")
	rejects(t, v, sign(t, jwt.SigningMethodRS256, second, good(), "kid", "one"),
		"signature or algorithm")
	rejects(t, v, sign(t, jwt.SigningMethodPS256, first, good(), "kid", "one"),
		"signature or algorithm")
	if n := s.fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}

	// The provider rotates its key, and the first token with the new key id causes a new fetch of
	// the set.
	s.add("two", &second.PublicKey)
	accepts(t, v, sign(t, jwt.SigningMethodRS256, second, good(), "kid", "two"), ann)
	if n := s.fetched.Load(); n != 2 {
		t.Errorf("fetched %d times", n)
	}
}

// TestFloodOfUnknownKeyIDs verifies that any number of tokens with unknown key ids causes only one
// further request to the provider.
func TestFloodOfUnknownKeyIDs(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := serveKeys(t)
	s.add("one", &key.PublicKey)
	v := verifier(t, token.Options{JWKSURL: s.URL})
	var calls sync.WaitGroup
	for i := range 50 {
		calls.Go(func() {
			rejects(t, v, sign(t, jwt.SigningMethodRS256, key, good(), "kid",
				"unknown "+string(rune('a'+i))), "signing key is not known")
		})
	}
	calls.Wait()
	if n := s.fetched.Load(); n != 2 {
		t.Errorf("fetched %d times, want once at start and once more", n)
	}
	accepts(t, v, sign(t, jwt.SigningMethodRS256, key, good(), "kid", "one"), ann)
}

// TestKeySetAway verifies that New succeeds while the provider is unavailable, and that tokens are
// then rejected.
func TestKeySetAway(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	s := serveKeys(t)
	s.Close()
	rejects(t, verifier(t, token.Options{JWKSURL: s.URL}), sign(t, jwt.SigningMethodRS256, key,
		good(), "kid", "one"), "signing key is not known")
}

func TestMint(t *testing.T) {
	v := verifier(t, token.Options{Secret: secret})
	claims := keys.Claims{Subject: "ann", Tier: keys.Agent, Admin: true}
	made, err := token.Mint(secret, claims, issuer, audience, now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	accepts(t, v, made, claims)
	made, err = token.Mint(secret, claims, "", "", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	rejects(t, v, made, "iss and aud")
}
