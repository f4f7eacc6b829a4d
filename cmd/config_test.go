package cmd

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"slipstick/keys"
	"slipstick/tools/catalog"
)

// TestSettingsOutOfRange verifies that a setting out of range ends the program before it serves.
// The message must contain the setting, its value and the valid values.
func TestSettingsOutOfRange(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		// No machine has the address (RFC 5737), so that the program also ends if it accepts the
		// value.
		args = append(
			[]string{"slipstick", "serve", "--data", ":memory:", "--addr", "192.0.2.1:8080"},
			args...)
		err := newCommand(all, strings.NewReader(""), &out, &out).Run(t.Context(), args)
		if err == nil {
			t.Fatal("it serves")
		}
		return err.Error()
	}
	for _, c := range []struct{ flag, value, want string }{
		{"addr", "nonsense", `must be an address with a port, such as :8080, 127.0.0.1:8080 or ` +
			`[::1]:8080, got "nonsense"`},
		{"addr", "::1:8080", `got "::1:8080"`},
		{"addr", "127.0.0.1:70000", `got "127.0.0.1:70000"`},
		{"admin-addr", "9090", `an address with a port`},
		{"anonymous-calls", "-1", `at least 0, got "-1"`},
		{"max-components", "149",
			`an integer from 150 to 2000, or a tier and one, such as agent=2000, where the tier ` +
				`is anonymous, free, developer, network or agent, got "149"`},
		{"max-components", "2001", `got "2001"`},
		{"max-components", "150,gold=300", `got "gold=300"`},
		{"max-components", "free=", `got "free="`},
		{"burst-rate", "-0.5", `a number from 0 to 100000, got "-0.5"`},
		{"burst-rate", "NaN", `to 100000, got "NaN"`},
		{"burst-rate", "Inf", `to 100000, got "Inf"`},
		{"burst-size", "0", `an integer of at least 1, got "0"`},
		{"jobs-per-caller", "0", `an integer of at least 1, got "0"`},
		{"batch-runs", "0", `an integer from 1 to 100000, got "0"`},
		{"batch-queued-runs", "10001", `an integer from 1 to 10000, got "10001"`},
		{"batches-per-caller", "0", `an integer of at least 1, got "0"`},
		{"batch-ttl", "10", `a duration of at least 1m0s, got "10"`},
		{"wait", "0s", `a duration from 1ms to 1h0m0s, got "0s"`},
		{"wait", "-5s", `from 1ms to 1h0m0s, got "-5s"`},
		{"wait", "999h", `from 1ms to 1h0m0s, got "999h"`},
		{"concurrency", "0", `an integer from 1 to 1024, got "0"`},
		{"concurrency", "1025", `an integer from 1 to 1024, got "1025"`},
		{"job-memory-mib", "-5", `an integer from 0 to 1073741824, got "-5"`},
		// 2^44 MiB are 2^64 bytes, which would wrap to 0.
		{"result-budget-mib", "17592186044416",
			`an integer from 1 to 1073741824, got "17592186044416"`},
		{"batch-database-budget-mib", "17592186044416",
			`an integer from 0 to 1073741824, got "17592186044416"`},
		{"mcp-origins", "chat.example.com", `must be * or web origins without a path, such as https://chat.example.com, got "chat.example.com"`},
		{"mcp-origins", "https://chat.example.com/", "without a path"},
		{"burst-size", "many", `an integer of at least 1, got "many"`},
		{"wait", "25", `a duration from 1ms to 1h0m0s, got "25"`},
		{"public-url", "calc.example.com",
			`http or https with a host, such as https://calc.example.com, got "calc.example.com"`},
		{"trusted-proxies", "10.0.0.0/8,proxy",
			`must be addresses or networks such as 10.0.0.0/8 or fd00::/8, got "proxy"`},
		{"log-format", "xml", `must be text or json, got "xml"`},
		{"log-level", "loud", `must be debug, info, warn or error, got "loud"`},
	} {
		t.Run(c.flag+"="+c.value, func(t *testing.T) {
			if got := run(t, "--"+c.flag+"="+c.value); !strings.Contains(got, c.flag) ||
				!strings.Contains(got, c.want) {
				t.Errorf("%s", got)
			}
			t.Setenv("SLIPSTICK_"+strings.ToUpper(strings.ReplaceAll(c.flag, "-", "_")), c.value)
			if got := run(t); c.flag != "addr" &&
				(!strings.Contains(got, c.flag) || !strings.Contains(got, c.want)) {
				t.Errorf("by environment: %s", got)
			}
		})
	}
	if got := run(t, "--anonymous-calls=0", "--burst-rate=0", "--burst-size=1",
		"--jobs-per-caller=1", "--wait=1ms", "--concurrency=1",
		"--job-memory-mib=0", "--mcp-origins=*",
		"--mcp-origins=https://a.example, https://b.example,",
		"--mcp-origins=https://chat.example.com:8443",
		"--mcp-origins=chrome-extension://abc"); !strings.Contains(
		got,
		"cannot listen on 192.0.2.1:8080",
	) {
		t.Errorf("the least of each: %s", got)
	}
}

// TestSettingsWithOwnChecks verifies that settings which a command checks against the catalog or a
// driver return the exit code of usage errors and name the setting.
func TestSettingsWithOwnChecks(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"worker", "--redis-url", "redis://127.0.0.1:1", "--queues", "spice,boards"},
			`--queues or SLIPSTICK_QUEUES must be of spice, board, got "boards"`},
		{[]string{"worker", "--redis-url", "redis://127.0.0.1:1", "--queues", "spice,spice"},
			`--queues or SLIPSTICK_QUEUES must name each pool once, got "spice" twice`},
		{[]string{"worker", "--redis-url", "localhost:6379"},
			`begins with redis://, rediss://, unix://, redis-sentinel://, redis-cluster:// or ` +
				`rediss-cluster://, got "localhost:6379"`},
		{[]string{"api", "--redis-url", "redis://127.0.0.1:1", "--drain-delay", "999h"},
			`a duration from 0s to 1h0m0s, got "999h"`},
		{[]string{"serve", "--data", ":memory:", "--jwt-secret", "short"},
			`: --jwt-secret or SLIPSTICK_JWT_SECRET: the secret must have at least 32 bytes, got 5`},
		{[]string{"serve", "--data", ":memory:", "--jwt-algorithms", "HS256"},
			`: --jwt-algorithms or SLIPSTICK_JWT_ALGORITHMS: algorithms are chosen for a JWK set`},
		{[]string{"serve", "--addr", "WRONG"}, `--addr or SLIPSTICK_ADDR must be an address`},
		{[]string{"serve", "--data", ":memory:", "--database-url", "localhost"},
			"the Postgres of --database-url or SLIPSTICK_DATABASE_URL cannot be used"},
	} {
		_, _, err := runCLI(t, "", c.args...)
		var message strings.Builder
		if code := exitCode(err, &message); code != exitUsage ||
			!strings.Contains(message.String(), c.want) {
			t.Errorf("%v: code %d, %s", c.args, code, message.String())
		}
	}
}

// TestPostgresIsUnavailable verifies that the error of a Postgres that cannot be reached is one
// line without repetitions. The driver tries to connect with TLS and without.
func TestPostgresIsUnavailable(t *testing.T) {
	_, _, err := runCLI(t, "", "serve", "--data", ":memory:", "--addr", "127.0.0.1:0",
		"--database-url", "postgres://ann@127.0.0.1:1/keys")
	if err == nil || strings.ContainsAny(err.Error(), "\n\t") ||
		strings.Count(err.Error(), "connection refused") != 1 ||
		!strings.Contains(err.Error(), "SLIPSTICK_DATABASE_URL cannot be used") {
		t.Errorf("%v", err)
	}
}

// TestArgumentsAreChecked verifies that commands reject unknown arguments, options and subcommands.
func TestArgumentsAreChecked(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) error {
		var out bytes.Buffer
		return newCommand(
			all,
			strings.NewReader(""),
			&out,
			&out,
		).Run(t.Context(), append([]string{"slipstick"}, args...))
	}
	for _, args := range [][]string{
		{"version", "--", "x"}, {"mcp", "fspl"},
		{"api", "redis://127.0.0.1:1"}, {"worker", "redis://127.0.0.1:1"},
		{"token", "--sub", "ann", "developer"}, {"queue", "list", "spice"},
	} {
		if err := run(args...); err == nil ||
			!strings.Contains(
				err.Error(),
				"takes no arguments, got "+strconv.Quote(args[len(args)-1]),
			) {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", "now"}, `"now" is no command, and slipstick serve takes no arguments`},
		{[]string{"wroker"}, "did you mean worker?"},
		{[]string{"fspl", "freq_mhz=915"}, "did you mean slipstick run fspl?"},
		{[]string{"--log-format", "json", "worker"},
			"options follow their command: slipstick worker"},
		{[]string{"--adr", ":0"}, `unknown option "adr"; did you mean --addr`},
		{[]string{"queue", "lst"}, `slipstick queue has no command "lst"; did you mean list?`},
		{[]string{"help", "serv"}, "No help topic for 'serv'"},
		{[]string{"tools", "xyzzy"}, "the categories are rf, mesh"},
		{[]string{"--addr", "192.0.2.1:80", "--data", ":memory:"}, "cannot listen on 192.0.2.1:80"},
		{[]string{"--addr", "192.0.2.1:80", "--data", ":memory:", "serve"},
			"cannot listen on 192.0.2.1:80"},
	} {
		if err := run(c.args...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %s", c.args, err, c.want)
		}
	}
	for _, args := range [][]string{{"queue"}, {"queue", "help", "list"}, {"help", "queue"},
		{"version"}, {"tools"}, {"run", "fspl", "freq_mhz=915", "dist_km=5"}} {
		if err := run(args...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

// TestSettingsOfOtherCommands verifies that a command ignores the settings of other commands,
// including invalid values.
func TestSettingsOfOtherCommands(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range new(Config).settings() {
		if s.value.allowed != "" {
			t.Setenv(s.variable(), "wrong")
		}
	}
	for _, args := range [][]string{
		{"version"}, {"--version"}, {"--help"}, {"tools"}, {"tools", "rf"},
		{"run", "fspl", "freq_mhz=915", "dist_km=5"},
		{"token", "--sub", "ann", "--jwt-secret", strings.Repeat("x", 32)}, {"completion", "bash"},
	} {
		var out bytes.Buffer
		if err := newCommand(all, strings.NewReader(""), &out, &out).Run(t.Context(),
			append([]string{"slipstick"}, args...)); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		if out.Len() == 0 {
			t.Errorf("%v prints nothing", args)
		}
	}
	for _, name := range []string{"SLIPSTICK_LOG_LEVEL", "SLIPSTICK_LOG_FORMAT",
		"SLIPSTICK_MCP_IMAGES"} {
		t.Setenv(name, "")
	}
	if err := newCommand(all, strings.NewReader(""), io.Discard, io.Discard).Run(t.Context(),
		[]string{"slipstick", "mcp"}); err != nil {
		t.Errorf("mcp: %v", err)
	}
}

// TestSettings verifies that each setting has a unique name and a valid default, and belongs to
// existing commands.
func TestSettings(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	root := newCommand(all, nil, io.Discard, io.Discard)
	flags, variables := map[string]bool{}, map[string]bool{}
	for _, s := range new(Config).settings() {
		if flags[s.flag] || variables[s.variable()] {
			t.Errorf("--%s or %s appears twice", s.flag, s.variable())
		}
		flags[s.flag], variables[s.variable()] = true, true
		if s.initial != "" {
			if err := s.value.set(s.initial); err != nil {
				t.Errorf("the default of --%s: %v", s.flag, err)
			}
		}
		if len(s.commands) == 0 {
			t.Errorf("no command has --%s", s.flag)
		}
		for _, name := range s.commands {
			if root.Command(name) == nil {
				t.Errorf("--%s is a setting of %q, which is no command", s.flag, name)
			}
		}
	}
}

// TestListsOfSettings verifies that lists accept spaces around commas, empty entries and repeated
// flags.
func TestListsOfSettings(t *testing.T) {
	var got *Config
	cmd := &cli.Command{
		Flags: settingFlags("serve"),
		Action: func(_ context.Context, cmd *cli.Command) (err error) {
			got, err = readConfig(cmd, "serve")
			return err
		},
	}
	t.Setenv("SLIPSTICK_TRUSTED_PROXIES", "192.0.2.10, 2001:db8::/32,")
	if err := cmd.Run(t.Context(),
		[]string{"x", "--mcp-origins=https://a.example, https://b.example,",
			"--mcp-origins=*"}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.MCPOrigins, []string{"https://a.example", "https://b.example", "*"}) {
		t.Errorf("%q", got.MCPOrigins)
	}
	if want := []netip.Prefix{netip.MustParsePrefix("192.0.2.10/32"),
		netip.MustParsePrefix("2001:db8::/32")}; !slices.Equal(
		got.TrustedProxies,
		want,
	) {
		t.Errorf("%v", got.TrustedProxies)
	}
}

var update = flag.Bool("update", false, "write docs/settings.md")

// TestSettingsPageIsCurrent compares docs/settings.md with the settings.
func TestSettingsPageIsCurrent(t *testing.T) {
	path, want := filepath.Join("..", "docs", "settings.md"), settingsPage()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s is not current; go generate ./cmd writes it (%v)", path, err)
	}
}

func TestMaxComponents(t *testing.T) {
	c := &Config{}
	if n := c.maxComponents(keys.Free); n != 0 {
		t.Errorf("without the setting: %d", n)
	}
	for _, text := range []string{"300", "agent=2000", " free = 150 "} {
		if err := c.setMaxComponents(text); err != nil {
			t.Fatal(err)
		}
	}
	for tier, want := range map[keys.Tier]int{keys.Anonymous: 300, keys.Free: 150,
		keys.Developer: 300, keys.Agent: 2000} {
		if n := c.maxComponents(tier); n != want {
			t.Errorf("%s: %d instead of %d", tier, n, want)
		}
	}
}

// TestUnknownVariables verifies that misspelled variables are found with the nearest setting, and
// that other variables are not reported.
func TestUnknownVariables(t *testing.T) {
	got := unknownVariables([]string{"SLIPSTICK_CONCURENCY=3", "SLIPSTICK_TRUSTED_PROXY=::1",
		"SLIPSTICK_DATABSE_URL=postgres://h/db", "SLIPSTICK_THREADS=4", "SLIPSTICK_WAIT=1s",
		"SLIPSTICK_MCP_TOOLS=rf", "PATH=/bin", "SLIPSTICK_TAG=0.2.0", "SLIPSTICK_URL=http://h",
		// A Kubernetes service "slipstick" sets these (docs of Kubernetes, Discovering services).
		"SLIPSTICK_SERVICE_HOST=10.0.0.1", "SLIPSTICK_SERVICE_PORT=80",
		"SLIPSTICK_SERVICE_PORT_HTTP=80", "SLIPSTICK_PORT=tcp://10.0.0.1:80",
		"SLIPSTICK_PORT_80_TCP=tcp://10.0.0.1:80", "SLIPSTICK_PORT_80_TCP_ADDR=10.0.0.1",
		"SLIPSTICK_API_PORT=tcp://10.0.0.1:80"})
	want := []string{"SLIPSTICK_CONCURENCY; did you mean SLIPSTICK_CONCURRENCY?",
		"SLIPSTICK_TRUSTED_PROXY; did you mean SLIPSTICK_TRUSTED_PROXIES?",
		"SLIPSTICK_DATABSE_URL; did you mean SLIPSTICK_DATABASE_URL?",
		"SLIPSTICK_THREADS"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
