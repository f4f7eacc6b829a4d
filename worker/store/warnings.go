package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// Equal requests share one run, so its result contains no warnings about a single request, such as
// unknown fields. These warnings are stored with the job for each caller.

// MaxWarningsBytes is the maximum size in bytes of one caller's stored warnings for a job. The
// sender chooses the names of unknown fields, so the warnings could be long.
const MaxWarningsBytes = 1000

// KeepWarnings stores the warnings of a caller. They replace the caller's earlier warnings for the
// job.
func (s *Store) KeepWarnings(ctx context.Context, id, caller string, warnings []string) error {
	if len(warnings) == 0 {
		return unavailable(s.rdb.HDel(ctx, WarningsKey(id), caller).Err())
	}
	body, err := json.Marshal(fitting(warnings))
	if err != nil {
		return err
	}
	pipe := s.rdb.TxPipeline()
	pipe.HSet(ctx, WarningsKey(id), caller, body)
	// This is the maximum time for which a job is queued, run and kept.
	pipe.PExpire(ctx, WarningsKey(id), s.opt.QueueTimeout+s.opt.ResultTTL+2*jobTTLSlack)
	_, err = pipe.Exec(ctx)
	return unavailable(err)
}

// fitting returns the warnings that fit into MaxWarningsBytes, followed by a note on the omitted
// ones.
func fitting(warnings []string) []string {
	size := 0
	for i, w := range warnings {
		if size += len(w) + 3; size > MaxWarningsBytes { // two quotes and a comma
			return append(warnings[:i:i], fmt.Sprintf(
				"%d more warnings on this request are in its response", len(warnings)-i))
		}
	}
	return warnings
}

// Warnings returns a caller's warnings about its request for a job.
func (s *Store) Warnings(ctx context.Context, id, caller string) ([]string, error) {
	// HMGET is used because HGET returns an error for a missing field.
	values, err := s.rdb.HMGet(ctx, WarningsKey(id), caller).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var warnings []string
	if body := text(values, 0); body != "" {
		err = json.Unmarshal([]byte(body), &warnings)
	}
	return warnings, err
}
