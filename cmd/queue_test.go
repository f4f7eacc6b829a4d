package cmd

import (
	"strings"
	"testing"

	"slipstick/tools/catalog"
	"slipstick/worker"
)

// TestRetryOfJobThatIsNotDead verifies that the message of "queue retry" has the state of the job,
// if there is one, and the command that lists the jobs which can be retried.
func TestRetryOfJobThatIsNotDead(t *testing.T) {
	redis, err := worker.StartEmbedded()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Stop)
	rdb, err := worker.Dial(redis.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer rdb.Close()
	queue, err := worker.NewClient(worker.ClientOptions{Redis: rdb})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	all, err := catalog.New()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := all.FindQueued("spice_simulate")
	if err != nil {
		t.Fatal(err)
	}
	job, err := queue.Submit(t.Context(), tool.Tool, []byte(tool.Examples[0].In),
		worker.SubmitOptions{Detached: true})
	if err != nil {
		t.Fatal(err)
	}
	const list = `"slipstick queue parked" lists the dead jobs`
	for _, c := range []struct{ id, want string }{
		{job.ID, job.ID + ": the job is queued; a retry is for dead jobs"},
		{strings.Repeat("0", 32), strings.Repeat("0", 32) + ": there is no such job"},
	} {
		_, _, err := runCLI(t, "", "queue", "retry", "--redis-url", redis.URL(), c.id)
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), list) {
			t.Errorf("%s: %v", c.id, err)
		}
	}
}
