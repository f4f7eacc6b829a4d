package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// tally counts the outcomes of the requests.
type tally struct {
	mu      sync.Mutex
	took    map[string][]time.Duration // latencies of correct responses, by kind
	excuses map[string]int             // expected losses, by cause
	lates   int
	wrong   []string
	errors  []string
}

func (y *tally) good(r request, took time.Duration) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.took == nil {
		y.took = map[string][]time.Duration{}
	}
	y.took[r.kind] = append(y.took[r.kind], took)
}

func (y *tally) late(request) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.lates++
}

func (y *tally) excused(why string, r request) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.excuses == nil {
		y.excuses = map[string]int{}
	}
	y.excuses[r.kind+": "+why]++
}

func (y *tally) unexcused(what string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.errors = append(y.errors, what)
}

func (y *tally) wrongResponse(what string) {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.wrong = append(y.wrong, what)
}

// mostGrowth is the maximum growth of a process's memory in bytes, over minutes of load and faults.
// Caches grow less; a leak per call would exceed it.
const mostGrowth = 150 << 20

// report prints the outcomes and fails the test for unexpected ones.
func (s *soak) report(t *testing.T, before, after map[string]int64) {
	t.Helper()
	var b strings.Builder
	total := 0
	for _, kind := range slices.Sorted(maps.Keys(s.tally.took)) {
		took := s.tally.took[kind]
		slices.Sort(took)
		total += len(took)
		fmt.Fprintf(&b, "%-12s %7d right   p50 %8.1f ms   p99 %8.1f ms\n", kind, len(took),
			ms(took[len(took)/2]), ms(took[len(took)*99/100]))
	}
	fmt.Fprintf(&b, "correct results in all: %d, wrong: %d, accepted for later: %d\n", total,
		len(s.tally.wrong), s.tally.lates)
	for _, why := range slices.Sorted(maps.Keys(s.tally.excuses)) {
		fmt.Fprintf(&b, "lost or refused with a reason: %5d  %s\n", s.tally.excuses[why], why)
	}
	fmt.Fprintf(&b, "errors without a reason: %d\n", len(s.tally.errors))
	for name, was := range before {
		fmt.Fprintf(&b, "memory of %s: %.1f MB, then %.1f MB\n", name, float64(was)/1e6,
			float64(after[name])/1e6)
		if after[name] > was+mostGrowth {
			t.Errorf("%s grew by %.1f MB", name, float64(after[name]-was)/1e6)
		}
	}
	s.checkUsage(t, &b)
	t.Log("\n" + b.String())
	for _, list := range [][]string{s.tally.wrong, s.tally.errors} {
		for _, what := range list[:min(10, len(list))] {
			t.Error(what)
		}
	}
	if total == 0 {
		t.Error("no call got a response")
	}
	// Without Redis each process counts separately.
	if n := s.customers[0].counted.Load(); n > int64(200*(1+len(s.apis))) {
		t.Errorf("%d anonymous calls were admitted from one address", n)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// checkUsage compares the usage of each key with its responses. A call without a response may be
// counted or not.
func (s *soak) checkUsage(t *testing.T, b *strings.Builder) {
	lost, doubled, sure, unsure := int64(0), int64(0), int64(0), int64(0)
	for _, c := range s.customers {
		if c.key == "" {
			continue
		}
		url := "http://" + s.apis[0] + "/api/keys/" + c.key[:12] + "/usage"
		low, high := c.counted.Load(), c.counted.Load()+c.uncertain.Load()
		var usage struct {
			Calls int64 `json:"calls"`
		}
		read := func() bool {
			a := send(t, http.MethodGet, url, "",
				asBearer(paidToken(t, fmt.Sprintf("customer %d", c.number)))...)
			if a.status != http.StatusOK {
				return false
			}
			a.read(t, &usage)
			return usage.Calls >= low
		}
		for until := time.Now().Add(15 * time.Second); !read() && time.Now().Before(until); {
			time.Sleep(500 * time.Millisecond)
		}
		sure, unsure = sure+low, unsure+c.uncertain.Load()
		lost += max(0, low-usage.Calls)
		doubled += max(0, usage.Calls-high)
	}
	fmt.Fprintf(b, "metering: %d calls answered to keys, %d more with the response lost; counts missing %d, counts too many %d\n", sure, unsure, lost, doubled)
	if lost != 0 || doubled != 0 {
		t.Errorf("metering lost %d calls and doubled %d", lost, doubled)
	}
}
