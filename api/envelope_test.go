package api

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestStamp compares appendTime with the format of package time.
func TestStamp(t *testing.T) {
	east := time.FixedZone("east", 5*3600+1800)
	times := []time.Time{
		{}, time.Unix(0, 0), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC),
		time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC),
		time.Date(2028, 2, 29, 1, 2, 3, 999999, east),
		time.Date(2026, 1, 1, 0, 0, 0, 1e6, east),
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		times = append(times, time.Unix(r.Int64N(253402300800+62167219200)-62167219200,
			r.Int64N(1e9)).In(east))
	}
	for _, at := range times {
		if got, want := string(appendTime([]byte("at "), at)),
			"at "+at.UTC().Format(timeLayout); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
}

func BenchmarkStamp(b *testing.B) {
	at, buf := time.Now(), make([]byte, 0, 64)
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			buf = appendTime(buf[:0], at)
		}
	})
	b.Run("package time", func(b *testing.B) {
		for b.Loop() {
			buf = at.UTC().AppendFormat(buf[:0], timeLayout)
		}
	})
}
