package e2e

import (
	database "database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"slipstick/keys"
	"slipstick/keys/postgres/pgtest"
	"slipstick/keys/token"
)

// keyService is a service under test.
type keyService struct {
	base     string
	another  string // a second instance on the same store; "" for none
	database string // Postgres; "" for the embedded store
	out      []*output
}

// eachKeyService runs a test on the embedded service, and on two instances on Postgres and Redis.
func eachKeyService(t *testing.T, test func(*testing.T, keyService)) {
	t.Run("embedded", func(t *testing.T) {
		addr := freeAddr(t)
		p := start(t, "serve", "--addr", addr, "--data", t.TempDir(), "--jwt-secret", jwtSecret,
			"--log-level", "debug")
		s := keyService{base: "http://" + addr, out: []*output{p.out}}
		waitReady(t, s.base)
		test(t, s)
	})
	t.Run("postgres and redis", func(t *testing.T) {
		s := keyService{database: pgtest.Start(t).Database(t)}
		redis := redisServer(t)
		for _, base := range []*string{&s.base, &s.another} {
			addr := freeAddr(t)
			*base = "http://" + addr
			p := start(t, "api", "--redis-url", redis, "--database-url", s.database, "--addr", addr,
				"--jwt-secret", jwtSecret, "--log-level", "debug")
			s.out = append(s.out, p.out)
		}
		waitReady(t, s.base)
		waitReady(t, s.another)
		test(t, s)
	})
}

type listed struct {
	KeyPrefix    string     `json:"key_prefix"`
	Tier         string     `json:"tier"`
	Label        *string    `json:"label"`
	CreatedAt    time.Time  `json:"created_at"`
	ExpiresAt    time.Time  `json:"expires_at"`
	LastUsedAt   *time.Time `json:"last_used_at"`
	RequestCount int        `json:"request_count"`
}

// list returns the keys that a JWT may list, by prefix.
func (s keyService) list(t *testing.T, jwt string) map[string]listed {
	t.Helper()
	a := send(t, "GET", s.base+"/api/keys", "", asBearer(jwt)...)
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var l struct {
		Keys  []listed `json:"keys"`
		Count *int     `json:"count"`
	}
	a.read(t, &l)
	if l.Count == nil || *l.Count != len(l.Keys) {
		t.Errorf("count does not fit: %s", a.body)
	}
	all := map[string]listed{}
	for _, k := range l.Keys {
		all[k.KeyPrefix] = k
	}
	return all
}

const someLoss = `{"freq_mhz": 915, "dist_km": 5}`

// call calls fspl with a key and returns the response.
func (s keyService) call(t *testing.T, base, key string) response {
	t.Helper()
	return send(t, "POST", base+"/api/fspl", someLoss, "X-Api-Key", key)
}

// problem verifies that a response is a problem document with a status and type, and that its
// detail contains the given texts.
func (a response) problem(t *testing.T, status int, kind string, want ...string) {
	t.Helper()
	var p struct {
		Type, Detail string
		Status       int
	}
	if a.status != status || a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("%d %s %s, want %d", a.status, a.header.Get("Content-Type"), a.body, status)
		return
	}
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Type != "/problems/"+kind ||
		p.Status != status {
		t.Errorf("%v in %s, want %s", err, a.body, kind)
	}
	contains(t, p.Detail, want...)
	if status == http.StatusUnauthorized && a.header.Get("WWW-Authenticate") == "" {
		t.Error("a 401 without WWW-Authenticate")
	}
}

// names returns the fields of a JSON object.
func names(t *testing.T, raw string) []string {
	t.Helper()
	var o map[string]any
	if err := json.Unmarshal([]byte(raw), &o); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(o))
}

// TestKeyStates verifies the states of a key: active after issuing, then revoked or expired.
func TestKeyStates(t *testing.T) {
	eachKeyService(t, func(t *testing.T, s keyService) {
		admin := mint(t, keys.Claims{Subject: "root", Admin: true})

		a := send(t, "POST", s.base+"/api/keys", `{"label": "laptop"}`)
		if got, want := names(t, a.body), []string{"expires_in", "key", "label", "rate_limit",
			"tier", "usage"}; a.status != http.StatusCreated || !slices.Equal(got, want) {
			t.Fatalf("none to active, free: %d %v", a.status, got)
		}
		if a.header.Get("Cache-Control") != "no-store" ||
			a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("a key may be stored or read by other sites: %v", a.header)
		}
		var free issued
		a.read(t, &free)
		if free.Tier != "free" || free.RateLimit != "5,000 calls per day" ||
			free.ExpiresIn != "24 hours" || free.Label == nil || *free.Label != "laptop" {
			t.Errorf("%+v", free)
		}
		prefix := free.Key[:12]
		k, ok := s.list(t, admin)[prefix]
		if !ok || k.Tier != "free" || k.ExpiresAt.Sub(k.CreatedAt) != 24*time.Hour ||
			*k.Label != "laptop" || time.Since(k.CreatedAt) > time.Minute {
			t.Errorf("%+v", k)
		}

		for tier, jwt := range map[keys.Tier]string{
			keys.Developer: paidToken(t, "ann"),
			keys.Network:   mint(t, keys.Claims{Subject: "ann", Tier: keys.Network}),
			keys.Agent:     mint(t, keys.Claims{Subject: "ann", Tier: keys.Agent}),
		} {
			paid := newKey(t, s.base, jwt)
			k := s.list(t, jwt)[paid.Key[:12]]
			if paid.Tier != string(tier) || k.Tier != string(tier) ||
				!strings.Contains(paid.RateLimit, "unlimited") || paid.ExpiresIn != "30 days" ||
				k.ExpiresAt.Sub(k.CreatedAt) != 30*24*time.Hour || paid.Label != nil ||
				k.Label != nil {
				t.Errorf("none to active, %s: %+v %+v", tier, paid, k)
			}
			if r := s.call(t, s.base, paid.Key); r.status != http.StatusOK {
				t.Errorf("a paid key: %d %s", r.status, r.body)
			}
		}
		raw := send(t, "GET", s.base+"/api/keys", "", asBearer(admin)...)
		if strings.Contains(raw.body, free.Key) {
			t.Error("the list shows a key")
		}
		var l struct{ Keys []json.RawMessage }
		raw.read(t, &l)
		if got, want := names(t, string(l.Keys[0])), []string{"created_at", "expires_at",
			"key_prefix", "label", "last_used_at", "request_count", "tier"}; !slices.Equal(got,
			want) {
			t.Errorf("fields in the list: %v", got)
		}

		if r := s.call(t, s.base, free.Key); r.status != http.StatusOK {
			t.Errorf("an active key: %d %s", r.status, r.body)
		}
		if s.another != "" {
			if r := s.call(t, s.another, free.Key); r.status != http.StatusOK {
				t.Errorf("an active key, on another instance: %d %s", r.status, r.body)
			}
		}
		if r := send(t, "DELETE", s.base+"/api/keys/"+prefix, "", asBearer(admin)...); r.status !=
			http.StatusOK {
			t.Errorf("active to revoked: %d %s", r.status, r.body)
		}
		revoked := time.Now()
		send(t, "DELETE", s.base+"/api/keys/"+prefix, "", asBearer(admin)...).problem(t,
			http.StatusNotFound, "key-not-found")
		s.call(t, s.base, free.Key).problem(t, http.StatusUnauthorized, "bad-key", prefix,
			"was revoked at")
		if _, still := s.list(t, admin)[prefix]; still {
			t.Error("a revoked key is listed")
		}
		if s.another != "" {
			eventually(t, "the other instance refuses it too", func() bool {
				return s.call(t, s.another, free.Key).status == http.StatusUnauthorized
			})
			// The limit is 5 s, plus a margin for a busy machine.
			if took := time.Since(revoked); took > 8*time.Second {
				t.Errorf("the other instance took %s", took)
			}
		}

		if s.database != "" { // TestKeysAreKept covers the embedded service
			k := newKey(t, s.base, paidToken(t, "bob"))
			sql(t, s.database,
				"UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE prefix = $1",
				k.Key[:12])
			if all := s.list(t, paidToken(t, "bob")); len(all) != 0 {
				t.Errorf("an expired key is listed: %v", all)
			}
			s.call(t, s.base, k.Key).problem(t, http.StatusUnauthorized, "bad-key", "expired at")
			send(t, "DELETE", s.base+"/api/keys/"+k.Key[:12], "", asBearer(admin)...).problem(t,
				http.StatusNotFound, "key-not-found")
		}
		for _, o := range s.out {
			for _, secret := range []string{free.Key, admin, jwtSecret} {
				if strings.Contains(o.String(), secret) {
					t.Error("the log holds a secret")
				}
			}
		}
	})
}

func sql(t *testing.T, url, statement string, args ...any) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// TestAuthentication verifies the credentials that the service accepts, and the 401 and 404
// responses to all others.
func TestAuthentication(t *testing.T) {
	t.Parallel()
	eachKeyService(t, func(t *testing.T, s keyService) {
		ann, bob, admin := paidToken(t, "ann"), paidToken(t, "bob"),
			mint(t, keys.Claims{Subject: "root", Admin: true})
		of := newKey(t, s.base, ann)
		one := s.base + "/api/keys/" + of.Key[:12]

		if r := send(t, "POST", s.base+"/api/fspl", someLoss); r.status != http.StatusOK {
			t.Errorf("anonymous: %d %s", r.status, r.body)
		}
		for _, key := range []string{"x", "sl_" + strings.Repeat("0", 40), of.Key[:12],
			of.Key + "0", strings.ToUpper(of.Key), strings.Repeat("k", 4000)} {
			s.call(t, s.base, key).problem(t, http.StatusUnauthorized, "bad-key", "not known")
		}

		expired, err := token.Mint([]byte(jwtSecret),
			keys.Claims{Subject: "ann", Tier: keys.Developer}, "", "", time.Now().Add(-2*time.Hour),
			time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		forged, err := token.Mint([]byte(strings.Repeat("x", 32)),
			keys.Claims{Subject: "ann", Tier: keys.Developer}, "", "", time.Now(), time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		for name, header := range map[string][]string{
			"expired": asBearer(expired),
			"forged":  asBearer(forged),
			"alg none": asBearer(
				"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4iLCJ0aWVyIjoiYWdlbnQiLCJleHAiOjk5OTk5OTk5OTl9."),
			"a tier not sold":     asBearer(mint(t, keys.Claims{Subject: "ann", Tier: "gold"})),
			"no subject":          asBearer(mint(t, keys.Claims{Tier: keys.Agent})),
			"an API key":          asBearer(of.Key),
			"only the scheme":     {"Authorization", "Bearer"},
			"an empty header":     {"Authorization", ""},
			"another scheme":      {"Authorization", "Basic YW5uOmFubg=="},
			"no scheme":           {"Authorization", ann},
			"something behind it": {"Authorization", "Bearer " + ann + " x"},
			"twice": {"Authorization", "Bearer " + ann, "Authorization",
				"Bearer " + bob},
		} {
			t.Run(name, func(t *testing.T) {
				// An invalid JWT never yields a free key.
				send(t, "POST", s.base+"/api/keys", "", header...).problem(t,
					http.StatusUnauthorized, "unauthorized")
				send(t, "GET", s.base+"/api/keys", "", header...).problem(t,
					http.StatusUnauthorized,
					"unauthorized")
				send(t, "DELETE", one, "", header...).problem(t, http.StatusUnauthorized,
					"unauthorized")
				send(t, "GET", one+"/usage", "", header...).problem(t, http.StatusUnauthorized,
					"unauthorized")
			})
		}
		send(t, "GET", s.base+"/api/keys", "").problem(t, http.StatusUnauthorized, "unauthorized",
			"Authorization: Bearer")
		send(t, "DELETE", one, "").problem(t, http.StatusUnauthorized, "unauthorized")
		send(t, "DELETE", one, "", "X-Api-Key", of.Key).problem(t, http.StatusUnauthorized,
			"unauthorized")
		send(t, "POST", s.base+"/api/keys", "", asBearer(admin)...).problem(t,
			http.StatusUnauthorized, "unauthorized", "claim tier")
		if r := send(t, "GET", s.base+"/api/keys", "",
			asBearer(strings.Repeat("a", 1<<20))...); r.status !=
			http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a token of 1 MB: %d %s", r.status, r.body)
		}

		if all := s.list(t, bob); len(all) != 0 {
			t.Errorf("bob sees %v", all)
		}
		send(t, "DELETE", one, "", asBearer(bob)...).problem(t, http.StatusNotFound,
			"key-not-found")
		send(t, "GET", one+"/usage", "", asBearer(bob)...).problem(t, http.StatusNotFound,
			"key-not-found")
		if all := s.list(t, admin); len(all) != 1 {
			t.Errorf("the admin sees %v", all)
		}
		if r := send(t, "GET", one+"/usage", "", asBearer(ann)...); r.status != http.StatusOK {
			t.Errorf("usage: %d %s", r.status, r.body)
		}
		if r := send(t, "DELETE", one, "", asBearer(ann)...); r.status != http.StatusOK {
			t.Errorf("ann revokes her key: %d %s", r.status, r.body)
		}
		send(t, "GET", s.base+"/api/no_such_tool", "").problem(t, http.StatusNotFound,
			"tool-not-found")
		send(t, "POST", s.base+"/api/no_such_tool", "{}").problem(t, http.StatusNotFound,
			"tool-not-found")
	})
}

// TestKeyInput verifies the allowed values in bodies, paths and queries of key requests.
func TestKeyInput(t *testing.T) {
	t.Parallel()
	eachKeyService(t, func(t *testing.T, s keyService) {
		ann := asBearer(paidToken(t, "ann"))
		for name, c := range map[string]struct {
			body   string
			detail string // "" for 201
		}{
			"no body":         {"", ""},
			"an empty object": {"{}", ""},
			"null":            {`{"label": null}`, ""},
			"64 characters":   {`{"label": "` + strings.Repeat("é", 64) + `"}`, ""},
			"64 emoji":        {`{"label": "` + strings.Repeat("🐢", 64) + `"}`, ""},
			"a joined emoji":  {`{"label": "👩‍🚒"}`, ""},
			"markup":          {`{"label": "<script>alert(1)</script>"}`, ""},
			"SQL":             {`{"label": "'; DROP TABLE api_keys; --"}`, ""},
			"65 characters":   {`{"label": "` + strings.Repeat("a", 65) + `"}`, "label"},
			"a megabyte": {`{"label": "` + strings.Repeat("a", 1<<20-100) + `"}`,
				"label"},
			"a control character":  {`{"label": "a\u0007"}`, "control characters"},
			"a NUL":                {`{"label": "a\u0000b"}`, "control characters"},
			"a line break":         {`{"label": "a\nb"}`, "control characters"},
			"a line separator":     {`{"label": "a\u2028b"}`, "control characters"},
			"reversed writing":     {`{"label": "a\u202eb"}`, "control characters"},
			"a number":             {`{"label": 7}`, "label"},
			"a list":               {`{"label": ["a"]}`, "label"},
			"a body that is array": {`[{"label": "a"}]`, "object"},
			"a body that is text":  {`"label"`, "object"},
			"a body that is null":  {`null`, "object"},
			"half a body":          {`{"label": `, "JSON"},
			"not UTF-8":            {"{\"label\": \"\xff\"}", "UTF-8"},
		} {
			t.Run(name, func(t *testing.T) {
				a := send(t, "POST", s.base+"/api/keys", c.body, ann...)
				if c.detail != "" {
					a.problem(t, http.StatusBadRequest, "invalid-input", c.detail)
					return
				}
				if a.status != http.StatusCreated {
					t.Errorf("%d %s", a.status, a.body)
				}
			})
		}
		send(t, "POST", s.base+"/api/keys", "label=a",
			append(ann, "Content-Type", "application/x-www-form-urlencoded")...).problem(t,
			http.StatusUnsupportedMediaType, "unsupported-media-type")

		before := len(s.list(t, paidToken(t, "ann")))
		for _, prefix := range []string{
			"sl_%25", "sl_%27%20OR%20%271%27=%271", "%27;DROP%20TABLE%20api_keys;--",
			"..%2f..%2fetc%2fpasswd", "%2e%2e", "sl_%00%00%00%00%00%00%00%00%00",
			"%EF%BD%93%EF%BD%8C_000000001", "%ff%fe", "sl_0", "sl_" + strings.Repeat("a", 40),
			strings.Repeat("a", 5000), "*", "%20",
		} {
			send(t, "DELETE", s.base+"/api/keys/"+prefix, "", ann...).problem(t,
				http.StatusNotFound,
				"key-not-found")
			send(t, "GET", s.base+"/api/keys/"+prefix+"/usage", "", ann...).problem(t,
				http.StatusNotFound, "key-not-found")
		}
		if after := len(s.list(t, paidToken(t, "ann"))); after != before || before < 8 {
			t.Errorf("%d keys before, %d after", before, after)
		}
		for query, detail := range map[string]string{
			"?limit=0": "limit", "?limit=1001": "limit", "?limit=x": "limit",
			"?limit=99999999999999999999": "limit",
		} {
			send(t, "GET", s.base+"/api/keys"+query, "", ann...).problem(t, http.StatusBadRequest,
				"bad-request", detail)
		}
		prefix := newKey(t, s.base, paidToken(t, "ann")).Key[:12]
		for query, detail := range map[string]string{
			"?from=yesterday": "from", "?to=2026-13-01": "to",
			"?from=2026-01-02&to=2026-01-01": "from", "?from=2020-01-01&to=2026-01-01": "from",
		} {
			send(t, "GET", s.base+"/api/keys/"+prefix+"/usage"+query, "", ann...).problem(t,
				http.StatusBadRequest, "bad-request", detail)
		}
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			send(t, method, s.base+"/api/keys", "", ann...).problem(t, http.StatusMethodNotAllowed,
				"method-not-allowed")
		}

		// The pages of the list contain every key once.
		seen, next := map[string]bool{}, "/api/keys?limit=3"
		for next != "" {
			a := send(t, "GET", s.base+next, "", ann...)
			var l struct{ Keys []listed }
			a.read(t, &l)
			for _, k := range l.Keys {
				if seen[k.KeyPrefix] {
					t.Errorf("%s twice", k.KeyPrefix)
				}
				seen[k.KeyPrefix] = true
			}
			link, _, _ := strings.Cut(strings.TrimPrefix(a.header.Get("Link"), "<"), ">")
			next = link
		}
		if len(seen) != before+1 {
			t.Errorf("pages show %d keys of %d", len(seen), before+1)
		}
	})
}

// TestRevokedAtOnce verifies that exactly one of a hundred concurrent revocations of a key gets
// 200. It verifies the same for two concurrent revocations of each further key of a subject at the
// limit.
func TestRevokedAtOnce(t *testing.T) {
	t.Parallel()
	eachKeyService(t, func(t *testing.T, s keyService) {
		ann := paidToken(t, "ann")
		bases := []string{s.base, s.base}
		if s.another != "" {
			bases[1] = s.another
		}
		many := []string{newKey(t, s.base, ann).Key[:12]}
		for range keys.MaxActiveKeys - 1 {
			many = append(many, newKey(t, s.base, ann).Key[:12])
		}
		var (
			calls sync.WaitGroup
			mu    sync.Mutex
			ended = map[string]map[int]int{}
		)
		revoke := func(base, prefix string) {
			calls.Go(func() {
				a := send(t, "DELETE", base+"/api/keys/"+prefix, "", asBearer(ann)...)
				mu.Lock()
				defer mu.Unlock()
				if ended[prefix] == nil {
					ended[prefix] = map[int]int{}
				}
				ended[prefix][a.status]++
			})
		}
		for i := range 100 {
			revoke(bases[i%2], many[0])
		}
		calls.Wait()
		for _, prefix := range many[1:] {
			revoke(bases[0], prefix)
			revoke(bases[1], prefix)
		}
		calls.Wait()
		for i, prefix := range many {
			want := map[int]int{200: 1, 404: 1}
			if i == 0 {
				want[404] = 99
			}
			if fmt.Sprint(ended[prefix]) != fmt.Sprint(want) {
				t.Errorf("%s: %v, want %v", prefix, ended[prefix], want)
			}
		}
	})
}

// TestRevokedKeyOverMCP verifies that /mcp rejects a revoked key with the reason.
func TestRevokedKeyOverMCP(t *testing.T) {
	t.Parallel()
	eachKeyService(t, func(t *testing.T, s keyService) {
		ann := paidToken(t, "ann")
		key := newKey(t, s.base, ann).Key
		session := connect(t, s.base).session
		call := func(tool, path string, header ...string) response {
			body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool +
				`","arguments":{"freq_mhz":915,"dist_km":5}}}`
			return send(t, "POST", s.base+path, body,
				append([]string{"Content-Type", "application/json", "Accept",
					"application/json, text/event-stream", "Mcp-Session-Id", session},
					header...)...)
		}
		if a := call("fspl", "/mcp", "X-Api-Key", key); a.status != 200 ||
			!strings.Contains(a.body, "105.655") {
			t.Fatalf("before: %d %s", a.status, a.body)
		}
		if a := send(t, "DELETE", s.base+"/api/keys/"+key[:12], "",
			asBearer(ann)...); a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		for _, tool := range []string{"fspl", "spice_simulate"} {
			call(tool, "/mcp", "X-Api-Key", key).problem(t, 401, "bad-key", "revoked")
			call(tool, "/mcp?key="+key).problem(t, 401, "bad-key", "revoked")
		}
	})
}

// TestPostgresGoesAndReturns verifies that without Postgres, cached keys and anonymous calls work,
// and issuing a key yields 503. It also verifies that afterwards everything works without a
// restart.
func TestPostgresGoesAndReturns(t *testing.T) {
	t.Parallel()
	db := pgtest.Start(t)
	addr := freeAddr(t)
	s := keyService{base: "http://" + addr}
	start(t, "serve", "--addr", addr, "--data", ":memory:", "--database-url", db.Database(t),
		"--jwt-secret", jwtSecret)
	waitReady(t, s.base)
	seen, unseen := newKey(t, s.base, paidToken(t, "ann")), newKey(t, s.base, paidToken(t, "ann"))
	if r := s.call(t, s.base, seen.Key); r.status != http.StatusOK {
		t.Fatalf("%d %s", r.status, r.body)
	}
	db.Stop()
	time.Sleep(keys.CacheTTL) // the cached key is stale
	if r := s.call(t, s.base, seen.Key); r.status != http.StatusOK {
		t.Errorf("a key seen before: %d %s", r.status, r.body)
	}
	if r := send(t, "POST", s.base+"/api/fspl", someLoss); r.status != http.StatusOK {
		t.Errorf("anonymous: %d %s", r.status, r.body)
	}
	for name, a := range map[string]response{
		"a key not seen before": s.call(t, s.base, unseen.Key),
		"issuing": send(t, "POST", s.base+"/api/keys", "",
			asBearer(paidToken(t, "ann"))...),
		"issuing a free key": send(t, "POST", s.base+"/api/keys", ""),
		"listing": send(t, "GET", s.base+"/api/keys", "",
			asBearer(paidToken(t, "ann"))...),
	} {
		if a.problem(t, http.StatusServiceUnavailable,
			"unavailable"); a.header.Get("Retry-After") == "" {
			t.Errorf("%s: no Retry-After", name)
		}
	}
	if r := send(t, "GET", s.base+"/readyz", ""); r.status != http.StatusOK ||
		!strings.Contains(r.body, `{"name":"postgres","ready":false}`) {
		t.Errorf("%d %s", r.status, r.body)
	}
	db.Restart(t)
	eventually(t, "keys can be looked up again", func() bool {
		return s.call(t, s.base, unseen.Key).status == http.StatusOK
	})
	newKey(t, s.base, paidToken(t, "ann"))
}

// TestKeysAreKept verifies that the embedded service keeps its keys when it is killed, and that a
// second service on the same directory does not start. It also verifies that a key whose lifetime
// ends during the outage has expired.
func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	dir, addr := t.TempDir(), freeAddr(t)
	s := keyService{base: "http://" + addr}
	p := start(t, "serve", "--addr", addr, "--data", dir, "--jwt-secret", jwtSecret)
	waitReady(t, s.base)
	k, old := newKey(t, s.base, paidToken(t, "ann")), newKey(t, s.base, paidToken(t, "bob"))
	if r := s.call(t, s.base, old.Key); r.status != http.StatusOK {
		t.Errorf("an active key: %d %s", r.status, r.body)
	}
	second := start(t, "serve", "--addr", freeAddr(t), "--data", dir)
	<-second.ended
	contains(t, second.out.String(), "another slipstick has it in use", "--data")
	_ = p.Process.Kill()
	<-p.ended
	endedAlready(t, filepath.Join(dir, "keys.db"), old.Key[:12])
	start(t, "serve", "--addr", addr, "--data", dir, "--jwt-secret", jwtSecret)
	waitReady(t, s.base)
	if r := s.call(t, s.base, k.Key); r.status != http.StatusOK {
		t.Errorf("after a restart: %d %s", r.status, r.body)
	}
	s.call(t, s.base, old.Key).problem(t, http.StatusUnauthorized, "bad-key", old.Key[:12],
		"expired at")
	if all := s.list(t, paidToken(t, "bob")); len(all) != 0 {
		t.Errorf("an expired key is listed: %v", all)
	}
	send(t, "DELETE", s.base+"/api/keys/"+old.Key[:12], "",
		asBearer(paidToken(t, "bob"))...).problem(t, http.StatusNotFound, "key-not-found")
}

// endedAlready sets the expiry of a key in a key database to one second in the past.
func endedAlready(t *testing.T, file, prefix string) {
	t.Helper()
	db, err := database.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done, err := db.ExecContext(t.Context(), "UPDATE api_keys SET expires_at = ? WHERE prefix = ?",
		time.Now().Add(-time.Second).UnixMicro(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); n != 1 || err != nil {
		t.Fatal(n, err)
	}
}

// TestTooManyKeys verifies that the limit of active keys per subject holds over all instances. It
// also verifies that the limit does not affect other subjects or count revoked keys.
func TestTooManyKeys(t *testing.T) {
	t.Parallel()
	eachKeyService(t, func(t *testing.T, s keyService) {
		ann := paidToken(t, "ann")
		last := ""
		for i := range keys.MaxActiveKeys {
			base := s.base
			if s.another != "" && i%2 == 1 {
				base = s.another
			}
			last = newKey(t, base, ann).Key
		}
		for _, base := range []string{s.base, s.another} {
			if base != "" {
				send(t, "POST", base+"/api/keys", "", asBearer(ann)...).problem(t,
					http.StatusConflict, "too-many-keys", strconv.Itoa(keys.MaxActiveKeys))
			}
		}
		newKey(t, s.base, paidToken(t, "bob"))
		newKey(t, s.base, "")
		if r := send(t, "DELETE", s.base+"/api/keys/"+last[:12], "", asBearer(ann)...); r.status !=
			http.StatusOK {
			t.Fatalf("%d %s", r.status, r.body)
		}
		newKey(t, s.base, ann)
		send(t, "POST", s.base+"/api/keys", "", asBearer(ann)...).problem(t, http.StatusConflict,
			"too-many-keys")
	})
}
