package store

import (
	"context"
	"encoding/json"
	"fmt"
)

// Equal requests share one run, whose result contains no warnings on the fields of one request.
// Such warnings, as on unknown fields, are kept beside the job for each caller.

// MaxWarningsBytes bounds the stored warnings of one caller on a job: the sender chooses the names
// of unknown fields.
const MaxWarningsBytes = 1000

// KeepWarnings stores a caller's warnings in place of those on its earlier request for the job.
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
	// A job can be queued, run and be kept for so long.
	pipe.PExpire(ctx, WarningsKey(id), s.opt.QueueTimeout+s.opt.ResultTTL+2*jobTTLSlack)
	_, err = pipe.Exec(ctx)
	return unavailable(err)
}

// fitting returns the warnings that fit, and the number of the others.
func fitting(warnings []string) []string {
	size := 0
	for i, w := range warnings {
		if size += len(w) + 3; size > MaxWarningsBytes { // quotes and a comma
			return append(warnings[:i:i], fmt.Sprintf(
				"%d more warnings on this request stand in the answer to it", len(warnings)-i))
		}
	}
	return warnings
}

// Warnings returns a caller's warnings on its request for a job.
func (s *Store) Warnings(ctx context.Context, id, caller string) ([]string, error) {
	// HMGET, because HGET returns an error for a missing field.
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
