package worker

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Equal requests share one run, whose result holds nothing of the fields that a single one of them
// had in excess. What a caller is to be told of those stands beside the job, for each caller apart.

// maxWarningsBytes bounds what is stored of one caller's warnings on a job; the sender chooses the
// names in them.
const maxWarningsBytes = 1000

// warningsKey holds warnings on a job's requests: a hash from callers to lists of sentences.
func warningsKey(id string) string { return "slipstick:warnings:{" + id + "}" }

// KeepWarnings implements Queue.
func (c *Client) KeepWarnings(ctx context.Context, id, caller string, warnings []string) error {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	if len(warnings) == 0 { // those on an earlier request of this caller are over
		return unavailable(c.rdb.HDel(ctx, warningsKey(id), caller).Err())
	}
	body, err := json.Marshal(fitting(warnings))
	if err != nil {
		return err
	}
	pipe := c.rdb.TxPipeline()
	pipe.HSet(ctx, warningsKey(id), caller, body)
	pipe.PExpire(ctx, warningsKey(id), c.warningsLife())
	_, err = pipe.Exec(ctx)
	return unavailable(err)
}

// warningsLife is as long as a job can wait, run and be remembered.
func (c *Client) warningsLife() time.Duration {
	return c.opt.QueueTimeout + c.opt.ResultTTL + 2*jobTTLSlack
}

// fitting gives as many of the warnings as are stored, and how many are not.
func fitting(warnings []string) []string {
	size := 0
	for i, w := range warnings {
		if size += len(w) + 3; size > maxWarningsBytes { // quotes and a comma
			return append(warnings[:i:i], fmt.Sprintf("%d more warnings on this request stand in the answer to it", len(warnings)-i))
		}
	}
	return warnings
}

// Warnings implements Queue.
func (c *Client) Warnings(ctx context.Context, id, caller string) ([]string, error) {
	ctx, done := context.WithTimeout(ctx, opTimeout)
	defer done()
	// HMGET, because a field that is missing is no error of it.
	values, err := c.rdb.HMGet(ctx, warningsKey(id), caller).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var warnings []string
	if body := text(values, 0); body != "" {
		err = json.Unmarshal([]byte(body), &warnings)
	}
	return warnings, err
}
