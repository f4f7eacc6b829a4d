package cmd

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"slipstick/tools/catalog"
)

// TestSettingsOutOfRange: a setting that makes no sense ends the program before it serves, and the
// message names the setting and what is allowed.
func TestSettingsOutOfRange(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, args ...string) string {
		t.Helper()
		var out bytes.Buffer
		// An address that cannot be listened on: what is not refused must not serve either.
		args = append([]string{"slipstick", "serve", "--data", ":memory:", "--addr", "nonsense"}, args...)
		err := newCommand(all, strings.NewReader(""), &out, &out).Run(t.Context(), args)
		if err == nil {
			t.Fatal("it serves")
		}
		return err.Error()
	}
	for _, c := range []struct{ flag, value, want string }{
		{"anonymous-calls", "-1", "at least 0, got -1"},
		{"burst-rate", "-0.5", "at least 0, got -0.5"},
		{"burst-rate", "NaN", "at least 0, got NaN"},
		{"burst-size", "0", "at least 1, got 0"},
		{"jobs-per-caller", "0", "at least 1, got 0"},
		{"wait", "0s", "at least 1ms, got 0s"},
		{"wait", "-5s", "at least 1ms, got -5s"},
		{"concurrency", "0", "at least 1, got 0"},
		{"job-memory-mib", "-5", "at least 0, got -5"},
		{"mcp-origins", "chat.example.com", `"chat.example.com" is neither * nor a web origin`},
		{"mcp-origins", "https://chat.example.com/", "without a path"},
	} {
		t.Run(c.flag+"="+c.value, func(t *testing.T) {
			if got := run(t, "--"+c.flag+"="+c.value); !strings.Contains(got, c.flag) || !strings.Contains(got, c.want) {
				t.Errorf("%s", got)
			}
			t.Setenv("SLIPSTICK_"+strings.ToUpper(strings.ReplaceAll(c.flag, "-", "_")), c.value)
			if got := run(t); !strings.Contains(got, c.flag) || !strings.Contains(got, c.want) {
				t.Errorf("by environment: %s", got)
			}
		})
	}
	if got := run(t, "--anonymous-calls=0", "--burst-rate=0", "--burst-size=1", "--jobs-per-caller=1", "--wait=1ms", "--concurrency=1",
		"--job-memory-mib=0", "--mcp-origins=*", "--mcp-origins=https://a.example, https://b.example,", "--mcp-origins=https://chat.example.com:8443", "--mcp-origins=chrome-extension://abc"); !strings.Contains(got, "cannot listen on nonsense") {
		t.Errorf("the least of each: %s", got)
	}
}

// TestArgumentsNobodyReads: what is given must not vanish silently.
func TestArgumentsNobodyReads(t *testing.T) {
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) error {
		var out bytes.Buffer
		return newCommand(all, strings.NewReader(""), &out, &out).Run(t.Context(), append([]string{"slipstick"}, args...))
	}
	for _, args := range [][]string{
		{"tools", "rf"}, {"version", "--", "x"}, {"mcp", "fspl"}, {"serve", "now"},
		{"api", "redis://127.0.0.1:1"}, {"worker", "redis://127.0.0.1:1"}, {"token", "--sub", "ann", "developer"}, {"queue", "list", "spice"},
	} {
		if err := run(args...); err == nil || !strings.Contains(err.Error(), "takes no arguments, got "+strconv.Quote(args[len(args)-1])) {
			t.Errorf("%v: %v", args, err)
		}
	}
	for _, args := range [][]string{{"version"}, {"tools"}, {"run", "fspl", "freq_mhz=915", "dist_km=5"}} {
		if err := run(args...); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestEntries(t *testing.T) {
	if got := entries([]string{"https://a.example", " https://b.example ", ""}); !slices.Equal(got, []string{"https://a.example", "https://b.example"}) {
		t.Errorf("%q", got)
	}
}

func TestAtLeast(t *testing.T) {
	for _, x := range []float64{0, 0.1, math.Inf(1)} {
		if err := atLeast(0.0)(x); err != nil {
			t.Errorf("%v: %v", x, err)
		}
	}
	if err := atLeast(time.Duration(0))(0); err != nil {
		t.Error(err)
	}
}
