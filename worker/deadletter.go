package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
)

// A job whose runs all crashed is parked with its input, so that whoever looks after the
// service can see what broke the tool and try it again once that is mended.
const (
	parkedKey  = "slipstick:parked" // zset: id scored with when it was parked [ms]
	parkedLife = 7 * 24 * time.Hour
	parkedMost = 1000

	parkedShare = 4 // parked inputs may have a quarter of the bytes that queued inputs may
)

func parkedJobKey(id string) string { return "slipstick:parked:{" + id + "}" }

// deadLetter keeps a crashed job. Failing to costs an operator a line, so it is only logged.
func (s *Server) deadLetter(r *run, how string) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	now := s.opt.Now().UnixMilli()
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.HSet(ctx, parkedJobKey(r.id), "tool", r.fields["tool"], "version", r.fields["version"], "input", r.fields["input"], "how", how, "parked", now)
		pipe.PExpire(ctx, parkedJobKey(r.id), parkedLife)
		pipe.ZAdd(ctx, parkedKey, redis.Z{Score: float64(now), Member: r.id})
		pipe.ZRemRangeByScore(ctx, parkedKey, "-inf", strconv.FormatInt(now-parkedLife.Milliseconds(), 10))
		return nil
	})
	if err == nil {
		err = s.trimParked(ctx)
	}
	if err != nil {
		s.opt.Log.Warn("a crashed job could not be parked", "job", r.id, "error", err)
	}
}

// trimParked removes the oldest parked jobs when there are more, or more bytes of inputs, than are
// kept. The latest one stays.
func (s *Server) trimParked(ctx context.Context) error {
	ids, err := s.rdb.ZRevRange(ctx, parkedKey, 0, -1).Result()
	if err != nil {
		return err
	}
	sizes := make([]*redis.IntCmd, len(ids))
	if _, err = s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, id := range ids {
			sizes[i] = pipe.HStrLen(ctx, parkedJobKey(id), "input")
		}
		return nil
	}); err != nil {
		return err
	}
	bytes, most := int64(0), s.store.limits().Inputs/parkedShare
	for i, id := range ids {
		if bytes += sizes[i].Val(); i == 0 || i < parkedMost && bytes <= most {
			continue
		}
		if err := errors.Join(s.rdb.Del(ctx, parkedJobKey(id)).Err(), s.rdb.ZRem(ctx, parkedKey, id).Err()); err != nil {
			return err
		}
	}
	return nil
}

// DeadJob is a job whose runs all crashed.
type DeadJob struct {
	ID, Tool, Version string
	Input             string // the canonical body
	How               string // of the last crash
	At                time.Time
}

// DeadJobs lists the parked jobs, the latest first.
func (c *Client) DeadJobs(ctx context.Context) ([]DeadJob, error) {
	ids, err := c.rdb.ZRevRange(ctx, parkedKey, 0, parkedMost-1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	var all []DeadJob
	for _, id := range ids {
		p, err := c.deadJob(ctx, id)
		if errors.Is(err, ErrJobNotFound) { // expired since
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (c *Client) deadJob(ctx context.Context, id string) (DeadJob, error) {
	f, err := c.rdb.HGetAll(ctx, parkedJobKey(id)).Result()
	if err != nil {
		return DeadJob{}, unavailable(err)
	}
	if len(f) == 0 {
		return DeadJob{}, ErrJobNotFound
	}
	ms, _ := strconv.ParseInt(f["parked"], 10, 64)
	return DeadJob{ID: id, Tool: f["tool"], Version: f["version"], Input: f["input"], How: f["how"], At: time.UnixMilli(ms)}, nil
}

// Retry runs a parked job again, in the best class and kept whoever waits. The catalog says
// how; the job gets another id when the tool's version has changed.
func (c *Client) Retry(ctx context.Context, catalog *tools.Catalog, id string) (Job, error) {
	p, err := c.deadJob(ctx, id)
	if err != nil {
		return Job{}, err
	}
	entry, err := catalog.Find(p.Tool)
	if err != nil {
		return Job{}, fmt.Errorf("the parked job's tool is gone: %w", err)
	}
	job, err := c.Submit(ctx, entry.Tool, []byte(p.Input), SubmitOptions{Priority: PriorityPaid, Detached: true})
	if err != nil {
		return Job{}, err
	}
	_, err = c.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		pipe.Del(ctx, parkedJobKey(id))
		pipe.ZRem(ctx, parkedKey, id)
		return nil
	})
	return job, unavailable(err)
}
