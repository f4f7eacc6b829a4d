package e2e

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// leap is the time by which the test advances the clock of Redis. It exceeds the lifetime of
// results (ten minutes), heartbeats, waiters, lists of workers, and locks.
const leap = 11 * time.Minute

// leapClock changes the keys of a Redis as if its clock had advanced by leap. It deletes expired
// keys, shortens other lifetimes, and ends the leases of asynq's active tasks. It returns the
// number of deleted keys.
func leapClock(t *testing.T, addr string) (gone int) {
	t.Helper()
	rdb := redis.NewClient(&redis.Options{Addr: addr})
	defer rdb.Close()
	ctx, done := context.WithTimeout(context.Background(), 10*time.Second)
	defer done()
	keys := rdb.Scan(ctx, 0, "*", 1000).Iterator()
	for keys.Next(ctx) {
		key := keys.Val()
		left, err := rdb.PTTL(ctx, key).Result()
		switch {
		case err != nil:
			t.Error(err)
		case left > leap:
			err = rdb.PExpire(ctx, key, left-leap).Err()
		case left > 0:
			err = rdb.PExpire(ctx, key, 0).Err()
			gone++
		case strings.HasPrefix(key, "asynq:{") && strings.HasSuffix(key, ":lease"):
			err = leapLeases(ctx, rdb, key)
		}
		if err != nil {
			t.Error(err)
		}
	}
	if err := keys.Err(); err != nil {
		t.Error(err)
	}
	return gone
}

// leapLeases ages the leases of one of asynq's queues. The score of a lease is the Unix time of its
// end in seconds.
func leapLeases(ctx context.Context, rdb *redis.Client, key string) error {
	leases, err := rdb.ZRangeWithScores(ctx, key, 0, -1).Result()
	if err != nil {
		return err
	}
	for _, l := range leases {
		if err := rdb.ZAddXX(ctx, key, redis.Z{Score: l.Score - leap.Seconds(),
			Member: l.Member}).Err(); err != nil {
			return err
		}
	}
	return nil
}
