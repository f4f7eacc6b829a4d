package worker

import (
	"slices"
	"strings"
	"testing"
	"time"

	"slipstick/worker/store"
)

// TestWarnings verifies that each caller gets the warnings about its own request for a job, as long
// as the job is kept.
func TestWarnings(t *testing.T) {
	forEachRedis(t, func(t *testing.T, url string) {
		c := client(t, url, func(o *ClientOptions) {
			o.QueueTimeout, o.ResultTTL = time.Minute, time.Minute
		})
		id := strings.Repeat("a", 32)
		mine := []string{`unknown field "a" was ignored`, `unknown field "b" was ignored`}
		if err := c.KeepWarnings(t.Context(), id, "me", mine); err != nil {
			t.Fatal(err)
		}
		if err := c.KeepWarnings(t.Context(), id, "nothing to say", nil); err != nil {
			t.Fatal(err)
		}
		for caller, want := range map[string][]string{"me": mine, "you": nil, "nothing to say": nil,
			"": nil} {
			got, err := c.Warnings(t.Context(), id, caller)
			if err != nil || !slices.Equal(got, want) {
				t.Errorf("%q: %q, %v", caller, got, err)
			}
		}
		if got, err := c.Warnings(t.Context(), strings.Repeat("b", 32), "me"); err != nil ||
			got != nil {
			t.Errorf("another job: %q, %v", got, err)
		}
		if life := c.opt.Redis.PTTL(t.Context(), store.WarningsKey(id)).Val(); life <=
			2*time.Minute || life > time.Hour {
			t.Errorf("they live for %s", life)
		}
		many := slices.Repeat([]string{strings.Repeat("x", 99)}, 50)
		if err := c.KeepWarnings(t.Context(), id, "many", many); err != nil {
			t.Fatal(err)
		}
		got, err := c.Warnings(t.Context(), id, "many")
		if err != nil || len(got) != 10 ||
			got[9] != "41 more warnings on this request are in its response" {
			t.Errorf("of many: %q, %v", got, err)
		}
		if n := len(c.opt.Redis.HGet(t.Context(), store.WarningsKey(id), "many").Val()); n >
			store.MaxWarningsBytes+100 {
			t.Errorf("%d bytes are stored", n)
		}
	})
}
