package api

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"slipstick/keys"
)

// memoryStore implements the methods of a key store that these tests need.
type memoryStore struct {
	keys.Store
	records  []keys.Record
	uses     []keys.UsageRecord
	err      error
	scope    keys.Scope // scope of the last call
	from, to time.Time
}

func (m *memoryStore) Secret(_ context.Context, _ string, proposal []byte) ([]byte, error) {
	return proposal, m.err
}
func (m *memoryStore) Ping(context.Context) error { return m.err }
func (m *memoryStore) Insert(_ context.Context, r keys.Record, _ int) error {
	m.records = append(m.records, r)
	return m.err
}
func (m *memoryStore) List(_ context.Context, scope keys.Scope, p keys.Page,
	_ time.Time) ([]keys.Record, error) {
	m.scope = scope
	return m.records[:min(p.Limit, len(m.records))], m.err
}
func (m *memoryStore) Revoke(_ context.Context, scope keys.Scope, prefix string,
	now time.Time) (keys.Record, error) {
	m.scope = scope
	return keys.Record{Prefix: prefix, RevokedAt: &now}, m.err
}
func (m *memoryStore) Usage(_ context.Context, scope keys.Scope, _ string,
	from, to time.Time) ([]keys.UsageRecord, error) {
	m.scope, m.from, m.to = scope, from, to
	return m.uses, m.err
}

// tokens maps each subject, which is also its token, to its claims.
type tokens map[string]keys.Claims

func (v tokens) Verify(_ context.Context, token string) (keys.Claims, error) {
	if claims, ok := v[token]; ok {
		return claims, nil
	}
	return keys.Claims{}, &keys.InvalidTokenError{Reason: `the "token" is not \good`}
}

// fakeIssuanceLimiter is an IssuanceLimiter that records addresses and returns a fixed error.
type fakeIssuanceLimiter struct {
	err  error
	from []netip.Addr
}

func (l *fakeIssuanceLimiter) Allow(_ context.Context, a netip.Addr) error {
	l.from = append(l.from, a)
	return l.err
}

func startKeys(t *testing.T, m *memoryStore, issuing keys.IssuanceLimiter) *running {
	t.Helper()
	service, err := keys.NewService(t.Context(),
		keys.ServiceOptions{Store: m, Now: func() time.Time {
			return testTime
		}})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, Options{Keys: service, IssuanceLimiter: issuing, Now: func() time.Time {
		return testTime
	}, Tokens: tokens{
		"ann": {Subject: "ann", Tier: keys.Agent}, "root": {Subject: "root", Admin: true},
	}})
}

func TestIssuingIsLimited(t *testing.T) {
	m, s := &memoryStore{}, &fakeIssuanceLimiter{}
	r := startKeys(t, m, s)
	if a := r.call(t, "POST", "/api/keys", ""); a.status != 201 || len(s.from) != 1 ||
		!s.from[0].IsLoopback() {
		t.Errorf("%d %s %v", a.status, a.body, s.from)
	}
	s.err = &keys.LimitError{Policy: "issue", Reason: "five an hour",
		RetryAfter: 1500 * time.Millisecond}
	a := r.call(t, "POST", "/api/keys", "")
	if a.status != 429 || a.header.Get("Retry-After") != "2" ||
		!strings.Contains(a.body, "/problems/") || !strings.Contains(a.body, "five an hour") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	// An invalid body and a paid key do not count against the issuance limit.
	taken := len(s.from)
	if a := r.post(t, "/api/keys", `{"label": 7}`); a.status != 400 {
		t.Errorf("%d %s", a.status, a.body)
	}
	a = r.post(t, "/api/keys", `{"label": "x", "tier": "paid", "rate": 5}`)
	if a.status != 400 || !strings.Contains(a.body, `"pointer":"/tier"`) ||
		!strings.Contains(a.body, `"pointer":"/rate"`) || !strings.Contains(a.body, "valid: label") {
		t.Errorf("unknown fields: %d %s", a.status, a.body)
	}
	a = r.post(t, "/api/keys", `{"tier": 1, "tier": 2}`)
	if a.status != 400 || strings.Count(a.body, `"detail":"is not a field`) != 1 {
		t.Errorf("unknown field twice: %d %s", a.status, a.body)
	}
	if a := r.call(t, "POST", "/api/keys", "", "Authorization: bearer ann"); a.status != 201 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if len(s.from) != taken {
		t.Error("something else was counted")
	}
	s.err = errors.New("redis at 10.0.0.7 is gone")
	if a := r.call(t, "POST", "/api/keys", ""); a.status != 503 ||
		strings.Contains(a.body, "10.0.0.7") || !strings.Contains(r.log.String(), "10.0.0.7") {
		t.Errorf("%d %s", a.status, a.body)
	}
	m.err = keys.ErrTooManyKeys
	if a := r.call(t, "POST", "/api/keys", "", "Authorization: Bearer ann"); a.status != 409 ||
		!strings.Contains(a.body, "/problems/too-many-keys") ||
		!strings.Contains(a.body, "100 active keys") {
		t.Errorf("%d %s", a.status, a.body)
	}
	// A failed issuance does not count against the limit.
	m.err, taken = errors.New("gone"), len(s.from)
	if a := r.call(t, "POST", "/api/keys", ""); a.status != 503 || len(s.from) != taken {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// TestKeysAreNotForOtherSites verifies that pages of other origins may use the tools but not the
// key endpoints.
func TestKeysAreNotForOtherSites(t *testing.T) {
	r := startKeys(t, &memoryStore{}, nil)
	for path, open := range map[string]bool{
		"/api": true, "/api/fspl": true, "/api/keys": false, "/api/keys/": false,
		"/api/keys/sl_012345678": false, "/api/keys/sl_012345678/usage": false,
	} {
		for _, method := range []string{"OPTIONS", "GET", "POST"} {
			a := r.call(t, method, path, "", "Origin: https://evil.example.com",
				"Access-Control-Request-Method: POST")
			for name := range a.header {
				if !open && strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("%s %s has %s", method, path, name)
				}
			}
			if open && a.header.Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s %s may not be read", method, path)
			}
		}
	}
}

func TestScopeOfJWT(t *testing.T) {
	m := &memoryStore{}
	r := startKeys(t, m, nil)
	for token, want := range map[string]keys.Scope{"ann": {Owner: "ann"},
		"root": {Owner: "root", All: true}} {
		for _, c := range []struct {
			method, path string
		}{{"GET", "/api/keys"}, {"DELETE", "/api/keys/sl_012345678"},
			{"GET", "/api/keys/sl_012345678/usage"}} {
			m.scope = keys.Scope{}
			if a := r.call(t, c.method, c.path, "", "Authorization: Bearer "+token); a.status !=
				200 || m.scope != want || a.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s %s as %s: %d, scope %+v", c.method, c.path, token, a.status, m.scope)
			}
		}
	}
	a := r.call(t, "GET", "/api/keys", "", "Authorization: Bearer mallory")
	if a.status != 401 ||
		a.header.Get("WWW-Authenticate") !=
			`Bearer error="invalid_token", error_description="the 'token' is not good"` {
		t.Errorf("%d %v", a.status, a.header)
	}
}

func TestUsageTable(t *testing.T) {
	day := time.Date(2026, 3, 3, 0, 0, 0, 0, time.UTC)
	m := &memoryStore{uses: []keys.UsageRecord{
		{Day: day, Tool: "fspl", Outcome: keys.Computed, Calls: 3, ComputeMS: 1.5},
		{Day: day, Tool: "fspl", Outcome: keys.Invalid, Calls: 2, ComputeMS: 0.25},
		{Day: day, Tool: "fspl", Outcome: keys.ServerError, Calls: 7, ComputeMS: 4},
		{Day: day, Tool: "vswr", Outcome: keys.Computed, Calls: 1, ComputeMS: 1},
		{Day: day.AddDate(0, 0, 1), Tool: "vswr", Outcome: keys.Computed, Calls: 1, ComputeMS: 1},
	}}
	r := startKeys(t, m, nil)
	a := r.call(t, "GET", "/api/keys/sl_012345678/usage", "", "Authorization: Bearer ann")
	const want = `{"key_prefix":"sl_012345678","from":"2026-02-03","to":"2026-03-04","calls":7,"usage":[` +
		`{"day":"2026-03-03","tool":"fspl","calls":5,"computed":3,"invalid":2,"unserved":7,"compute_ms":5.75},` +
		`{"day":"2026-03-03","tool":"vswr","calls":1,"computed":1,"invalid":0,"unserved":0,"compute_ms":1},` +
		`{"day":"2026-03-04","tool":"vswr","calls":1,"computed":1,"invalid":0,"unserved":0,"compute_ms":1}]}`
	if a.body != want {
		t.Errorf("got  %s\nwant %s", a.body, want)
	}
	r.call(t, "GET", "/api/keys/sl_012345678/usage?from=2025-03-05&to=2026-03-05", "",
		"Authorization: Bearer ann")
	if m.from.Format(time.DateOnly) != "2025-03-05" || m.to.Format(time.DateOnly) != "2026-03-05" {
		t.Errorf("366 days: %s %s", m.from, m.to)
	}
	if a := r.call(t, "GET", "/api/keys/sl_012345678/usage?from=2025-03-04&to=2026-03-05", "",
		"Authorization: Bearer ann"); a.status != 400 {
		t.Errorf("367 days: %d", a.status)
	}
}

func TestKeyResponsesAreAsDescribed(t *testing.T) {
	m := &memoryStore{uses: []keys.UsageRecord{{Day: testTime, Tool: "fspl", Outcome: keys.Computed,
		Calls: 1}}}
	r := startKeys(t, m, nil)
	k := newChecker(t, parse(t, r.documents.openAPI.body))
	for name, a := range map[string]*reply{
		"IssuedKey": r.post(t, "/api/keys", `{"label": "x"}`),
		"KeyList":   r.call(t, "GET", "/api/keys", "", "Authorization: Bearer ann"),
		"RevokedKey": r.call(t, "DELETE", "/api/keys/sl_012345678", "",
			"Authorization: Bearer ann"),
		"KeyUsage": r.call(t, "GET", "/api/keys/sl_012345678/usage", "",
			"Authorization: Bearer ann"),
		"Problem": r.call(t, "GET", "/api/keys", ""),
	} {
		k.check(name, "/components/schemas/"+name, parse(t, []byte(a.body)))
	}
}

// TestWithoutKeys verifies that a server without key management returns 503 with this reason.
func TestWithoutKeys(t *testing.T) {
	r := start(t, Options{})
	for _, c := range []struct {
		method, path string
	}{{"POST", "/api/keys"}, {"GET", "/api/keys"}, {"DELETE", "/api/keys/sl_012345678"},
		{"GET", "/api/keys/sl_012345678/usage"}} {
		if a := r.call(t, c.method, c.path, ""); a.status != 503 ||
			!strings.Contains(a.body, "manages no keys") {
			t.Errorf("%s %s: %d %s", c.method, c.path, a.status, a.body)
		}
	}
}

// TestKeysStayOutOfTheLog verifies that the log contains no key, regardless of the part of the
// request that contains it.
func TestKeysStayOutOfTheLog(t *testing.T) {
	r := startKeys(t, &memoryStore{}, nil)
	var k IssuedKey
	r.call(t, "POST", "/api/keys", "").json(t, &k)
	for _, path := range []string{"/api/keys/" + k.Key, "/api/keys/" + k.Key + "/usage",
		"/api/" + k.Key, "/" + strings.Repeat("x", 170) + k.Key, "/api/fspl?key=" + k.Key,
		"/api/%73l_" + k.Key[3:]} {
		for _, method := range []string{"GET", "DELETE", "POST"} {
			r.call(t, method, path, "", "X-Api-Key: "+k.Key, "Authorization: Bearer "+k.Key)
		}
	}
	if log := r.log.String(); strings.Contains(log, k.Key[:20]) ||
		!strings.Contains(log, k.Key[:12]) {
		t.Error("the log holds a key, or not even its prefix")
	}
}
