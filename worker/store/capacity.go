package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// PoolState is the load and capacity of a worker pool.
type PoolState struct {
	Waiting map[Priority]int64 // jobs that have not begun
	Slots   int                // slots of the living workers
	Average time.Duration      // average of recent run times; 0 if none is known
}

// Lengths returns the numbers of permits in the queues of a pool, by priority. Each waiting job has
// a permit.
func (s *Store) Lengths(ctx context.Context, pool string) (map[Priority]int64, error) {
	counts := map[Priority]*redis.IntCmd{}
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, p := range Priorities() {
			counts[p] = pipe.LLen(ctx, PermitsKey(QueueName(pool, p)))
		}
		return nil
	})
	if err != nil {
		return nil, unavailable(err)
	}
	waiting := map[Priority]int64{}
	for p, n := range counts {
		waiting[p] = n.Val()
	}
	return waiting, nil
}

// Pool returns the state of a pool, including its queue lengths.
func (s *Store) Pool(ctx context.Context, pool string) (PoolState, error) {
	st, err := s.Workers(ctx, pool)
	if err == nil {
		st.Waiting, err = s.Lengths(ctx, pool)
	}
	return st, err
}

// Workers returns the slots and the average run time of the living workers of a pool.
func (s *Store) Workers(ctx context.Context, pool string) (st PoolState, err error) {
	now := strconv.FormatInt(s.now().UnixMilli(), 10)
	alive := &redis.ZRangeBy{Min: now, Max: "+inf"}
	workers, err := s.rdb.ZRangeByScore(ctx, workersKey(pool), alive).Result()
	if err != nil {
		return st, unavailable(err)
	}
	weighted, known := 0.0, 0
	for _, w := range workers {
		field := strings.Split(w, ":") // name, slots, average run time [ms]
		if len(field) != 3 {
			continue
		}
		slots, err := strconv.Atoi(field[1])
		if err != nil {
			continue
		}
		st.Slots += slots
		if ms, err := strconv.ParseFloat(field[2], 64); err == nil && ms > 0 {
			weighted += ms * float64(slots)
			known += slots
		}
	}
	if known > 0 {
		st.Average = time.Duration(weighted / float64(known) * float64(time.Millisecond))
	}
	return st, nil
}

// Worker returns the list entry of a worker. average is the average of its recent run times.
func Worker(name string, slots int, average time.Duration) string {
	return fmt.Sprintf("%s:%d:%.1f", name, slots, float64(average.Microseconds())/1000)
}

// Register enters a worker in the list of a pool for HeartbeatTTL. It removes last, the worker's
// previous entry, unless last is "".
func (s *Store) Register(ctx context.Context, pool, entry, last string) error {
	now := s.now()
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		key := workersKey(pool)
		pipe.ZRemRangeByScore(ctx, key, "-inf", strconv.FormatInt(now.UnixMilli(), 10))
		if last != "" && last != entry {
			pipe.ZRem(ctx, key, last)
		}
		expires := float64(now.Add(HeartbeatTTL).UnixMilli())
		pipe.ZAdd(ctx, key, redis.Z{Score: expires, Member: entry})
		pipe.PExpire(ctx, key, HeartbeatTTL)
		return nil
	})
	return unavailable(err)
}

// Deregister removes a worker from the list of a pool.
func (s *Store) Deregister(ctx context.Context, pool, entry string) error {
	return unavailable(s.rdb.ZRem(ctx, workersKey(pool), entry).Err())
}
