package worker

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"slipstick/internal/redistest"
)

// TestCluster verifies that no script uses keys of different hash slots. One node is sufficient,
// because it rejects such scripts.
func TestCluster(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--cluster-enabled", "yes")
	node := dial(t, strings.TrimSuffix(s.URL(0), "/0"))
	ctx := context.Background()
	if err := node.Do(ctx, "CLUSTER", "ADDSLOTSRANGE", 0, 16383).Err(); err != nil {
		t.Fatal(err)
	}
	eventually(t, ample, "the cluster to form", func() bool {
		info, err := node.ClusterInfo(ctx).Result()
		return err == nil && strings.Contains(info, "cluster_state:ok")
	})
	url := fmt.Sprintf("redis-cluster://127.0.0.1:%d", s.Port)
	stop := serve(t, url)
	c := client(t, url)
	j := submit(t, c, "steps", body(`{"n": 3, "ms": 150}`),
		SubmitOptions{Caller: "ann", Priority: PriorityPaid})
	moves := 0
	if err := c.Watch(ctx, j.ID, func(Job) { moves++ }); err != nil || moves < 2 {
		t.Errorf("%d reports, %v", moves, err)
	}
	wantState(t, wait(t, c, j.ID, ample), Done)
	j = submit(t, c, "sleep", body(`{"ms": 30000}`), SubmitOptions{Caller: "ann"})
	inState(t, c, j.ID, Running)
	got, err := c.Cancel(ctx, j.ID, "")
	if err != nil {
		t.Fatal(err)
	}
	wantState(t, got, Cancelled)
	// Some of bob's jobs equal ann's: bob joins them with the same or a higher priority.
	for k := range 6 {
		submit(t, c, "sleep", body(`{"n": %d, "ms": 20}`, k),
			SubmitOptions{Caller: "ann", Priority: PriorityFree, Detached: true})
	}
	for k := range 6 {
		sub := SubmitOptions{Caller: "bob", Group: "group", MaxInFlight: 50,
			Priority: []Priority{PriorityFree, PriorityPaid}[k%2]}
		j = submit(t, c, "sleep", body(`{"n": %d, "ms": 20}`, k+3), sub)
		wantState(t, wait(t, c, j.ID, ample), Done)
	}
	if _, err := c.InFlight(ctx, "test", 10); err != nil {
		t.Error(err)
	}
	eventually(t, ample, "every job to end", func() bool {
		jobs, err := c.InFlight(ctx, "test", 10)
		return err == nil && len(jobs) == 0
	})
	j = submit(t, c, "sleep", body(`{"ms": 30001}`), SubmitOptions{Caller: "ann"})
	submit(t, c, "sleep", body(`{"ms": 30001}`), SubmitOptions{Caller: "bob"})
	for _, caller := range []string{"ann", "bob"} {
		if got, err := c.Cancel(ctx, j.ID, caller); err != nil || got.State != Cancelled {
			t.Errorf("%s leaves: %s, %v", caller, got.State, err)
		}
	}
	j = submit(t, c, "sleep", body(`{"ms": 1000}`), SubmitOptions{})
	inState(t, c, j.ID, Running)
	stop()
	serve(t, url)
	wantState(t, wait(t, c, j.ID, ample), Done)
	for i := range 3 { // the account of results has another hash slot
		stored(t, c, "ann", i)
	}
	if st, err := c.store.ResultTotals(ctx); err != nil || st.Bytes < 300_000 ||
		c.Ready(ctx) != nil {
		t.Errorf("the account of results: %+v, %v", st, err)
	}
	if _, err := c.Pool(ctx, "test"); err != nil {
		t.Error(err)
	}
	begun := time.Now()
	if j := submit(t, c, "sleep", body(`{"ms": 1000}`), SubmitOptions{}); j.State != Done ||
		time.Since(begun) > time.Second {
		t.Errorf("a kept result: %+v", j)
	}
}
