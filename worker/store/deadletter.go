package store

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

// A job whose runs all crashed is stored with its input. An operator can reproduce the crash, fix
// it and retry the job.
const (
	deadKey  = "slipstick:parked" // zset: id, scored by the time of the last crash [ms]
	deadTTL  = 7 * 24 * time.Hour
	maxDead  = 1000
	deadPart = 4 // dead job inputs may use 1/deadPart of the input budget
)

func deadJobKey(id string) string { return "slipstick:parked:{" + id + "}" }

// DeadJob is a job whose runs all crashed.
type DeadJob struct {
	ID, Tool, Version string
	Input             string // canonical body
	How               string // how the last run crashed
	At                time.Time
}

// AddDead stores the job of a crashed run and deletes the oldest dead jobs beyond the limits.
func (s *Store) AddDead(ctx context.Context, r *Run, how string) error {
	now := s.now().UnixMilli()
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, deadJobKey(r.ID), "tool", r.Tool, "version", r.Version, "input", r.Input,
			"how", how, "parked", now)
		pipe.PExpire(ctx, deadJobKey(r.ID), deadTTL)
		pipe.ZAdd(ctx, deadKey, redis.Z{Score: float64(now), Member: r.ID})
		expired := strconv.FormatInt(now-deadTTL.Milliseconds(), 10)
		pipe.ZRemRangeByScore(ctx, deadKey, "-inf", expired)
		return nil
	})
	if err == nil {
		err = s.trimDead(ctx)
	}
	return unavailable(err)
}

// trimDead deletes the oldest dead jobs while their number or input bytes exceed the limits. It
// never deletes the latest job.
func (s *Store) trimDead(ctx context.Context) error {
	ids, err := s.rdb.ZRevRange(ctx, deadKey, 0, -1).Result()
	if err != nil {
		return err
	}
	sizes := make([]*redis.IntCmd, len(ids))
	if _, err = s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, id := range ids {
			sizes[i] = pipe.HStrLen(ctx, deadJobKey(id), "input")
		}
		return nil
	}); err != nil {
		return err
	}
	bytes, most := int64(0), s.limits().Inputs/deadPart
	for i, id := range ids {
		if bytes += sizes[i].Val(); i == 0 || i < maxDead && bytes <= most {
			continue
		}
		if err := s.RemoveDead(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// DeadJobs lists the dead jobs, latest first.
func (s *Store) DeadJobs(ctx context.Context) ([]DeadJob, error) {
	ids, err := s.rdb.ZRevRange(ctx, deadKey, 0, maxDead-1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var all []DeadJob
	for _, id := range ids {
		d, err := s.DeadJob(ctx, id)
		if errors.Is(err, ErrJobNotFound) { // expired since
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// DeadJob returns a dead job, or ErrJobNotFound.
func (s *Store) DeadJob(ctx context.Context, id string) (DeadJob, error) {
	f, err := s.rdb.HGetAll(ctx, deadJobKey(id)).Result()
	if err != nil {
		return DeadJob{}, unavailable(err)
	}
	if len(f) == 0 {
		return DeadJob{}, ErrJobNotFound
	}
	return DeadJob{
		ID: id, Tool: f["tool"], Version: f["version"], Input: f["input"], How: f["how"],
		At: parseMillis(f["parked"]),
	}, nil
}

// RemoveDead deletes a dead job.
func (s *Store) RemoveDead(ctx context.Context, id string) error {
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Del(ctx, deadJobKey(id))
		pipe.ZRem(ctx, deadKey, id)
		return nil
	})
	return unavailable(err)
}
