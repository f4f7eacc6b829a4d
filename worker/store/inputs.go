package store

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// The inputs of unfinished jobs have a byte budget, as stored results do. An account in Redis
// records their sizes. Inputs up to SmallInput are not counted because the number of jobs limits
// them, which saves a command for most jobs.
const (
	// inputEndsKey is a zset: id, scored by the latest end of the job [ms].
	inputEndsKey  = "slipstick:{inputs}:ends"
	inputSizesKey = "slipstick:{inputs}:sizes" // hash: id -> bytes, and "total"
)

// SmallInput is the maximum size in bytes of an input that is not counted.
const SmallInput = 2 << 10

// chargeInputScript enters the input of a job in the account.
//
//	KEYS[1] ends, KEYS[2] sizes
//	ARGV[1] id, ARGV[2] bytes, ARGV[3] budget, ARGV[4] TTL of the entry in ms
//
// Returns 2 when entered, 1 when the account contains it, or 0 when it exceeds the budget.
var chargeInputScript = redis.NewScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now)) do
  local bytes = redis.call('HGET', KEYS[2], id)
  redis.call('ZREM', KEYS[1], id)
  redis.call('HDEL', KEYS[2], id)
  if bytes then redis.call('HINCRBY', KEYS[2], 'total', -bytes) end
end
if redis.call('ZCARD', KEYS[1]) == 0 then redis.call('DEL', KEYS[2]) end
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 1 end
local total = tonumber(redis.call('HGET', KEYS[2], 'total') or 0)
if total + ARGV[2] > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HINCRBY', KEYS[2], 'total', ARGV[2])
redis.call('ZADD', KEYS[1], now + ARGV[4], ARGV[1])
return 2
`)

// releaseInputScript removes an input from the account.
//
//	KEYS[1] ends, KEYS[2] sizes; ARGV[1] id
var releaseInputScript = redis.NewScript(`
local bytes = redis.call('HGET', KEYS[2], ARGV[1])
if not bytes then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], 'total', -bytes)
return 1
`)

var inputKeys = []string{inputEndsKey, inputSizesKey}

// TakeInput enters the input of a job in the account. entered is false if an equal job has already
// entered it. If the input exceeds the budget, TakeInput returns a *BusyError whose RetryAfter is
// the result of retry.
func (s *Store) TakeInput(
	ctx context.Context, id string, bytes int, timeout time.Duration, retry func() time.Duration,
) (entered bool, err error) {
	result, err := chargeInputScript.Run(ctx, s.rdb, inputKeys,
		id, bytes, s.limits().Inputs, s.jobTTL(timeout).Milliseconds()).Int()
	if err != nil {
		return false, unavailable(err)
	}
	if result == 0 {
		return false, &BusyError{RetryAfter: retry(), Reason: "the queue holds as many bytes of inputs as it may"}
	}
	return result == 2, nil
}

// ReleaseInput removes the input of a job from the account. An entry that is never released
// expires.
func (s *Store) ReleaseInput(ctx context.Context, id string) {
	if err := releaseInputScript.Run(ctx, s.rdb, inputKeys, id).Err(); err != nil {
		s.log.Debug("an input remains in the account until it expires", "job", id, "error", err)
	}
}

// InputBytes returns the bytes of inputs in the account.
func (s *Store) InputBytes(ctx context.Context) (int64, error) {
	n, err := s.rdb.HGet(ctx, inputSizesKey, "total").Int64()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return n, unavailable(err)
}
