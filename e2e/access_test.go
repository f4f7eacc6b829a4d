package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/token"
)

// jwtSecret is the secret with which the services under test verify JWTs.
const jwtSecret = "a secret of the end-to-end tests, long enough"

// mint returns a JWT with the given claims, valid for an hour.
func mint(t *testing.T, claims keys.Claims) string {
	t.Helper()
	made, err := token.Mint([]byte(jwtSecret), claims, "", "", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func paidToken(t *testing.T, subject string) string {
	t.Helper()
	return mint(t, keys.Claims{Subject: subject, Tier: keys.Developer})
}

// response is the response to a request.
type response struct {
	status int
	header http.Header
	body   string
}

func (a response) read(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
}

// send sends one request. header contains names and values alternately.
func send(t *testing.T, method, url, body string, header ...string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response{resp.StatusCode, resp.Header, string(b)}
}

// asBearer returns an Authorization header with a JWT.
func asBearer(jwt string) []string { return []string{"Authorization", "Bearer " + jwt} }

type issued struct {
	Key       string  `json:"key"`
	Tier      string  `json:"tier"`
	RateLimit string  `json:"rate_limit"`
	ExpiresIn string  `json:"expires_in"`
	Usage     string  `json:"usage"`
	Label     *string `json:"label"`
}

// newKey issues a key and returns it: a paid key for a JWT, or a free key if jwt is "".
func newKey(t *testing.T, base, jwt string) (k issued) {
	t.Helper()
	var header []string
	if jwt != "" {
		header = asBearer(jwt)
	}
	a := send(t, "POST", base+"/api/keys", "", header...)
	if a.status != http.StatusCreated {
		t.Fatalf("no key: %d %s", a.status, a.body)
	}
	a.read(t, &k)
	return k
}
