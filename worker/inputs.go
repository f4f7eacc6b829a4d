package worker

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// The inputs of unfinished jobs have a byte budget, as stored results have. Small ones are bounded
// by their number, so that the usual job costs nothing here.
const (
	inputEndsKey  = "slipstick:{inputs}:ends"  // zset: id scored with when the job surely has ended [ms]
	inputSizesKey = "slipstick:{inputs}:sizes" // hash: id -> bytes, and "total"
)

// smallInput is the size in bytes up to which an input is not counted.
const smallInput = 2 << 10

// chargeInput enters the input of a job into the account.
//
//	KEYS[1] ends, KEYS[2] sizes
//	ARGV[1] id, ARGV[2] bytes, ARGV[3] budget, ARGV[4] life of the entry in ms
//
// Returns 2 when entered, 1 when it is in the account already, or 0 when the budget has no room.
var chargeInput = redis.NewScript(`
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

// releaseInput takes an input off the account.
//
//	KEYS[1] ends, KEYS[2] sizes; ARGV[1] id
var releaseInput = redis.NewScript(`
local bytes = redis.call('HGET', KEYS[2], ARGV[1])
if not bytes then return 0 end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[2], 'total', -bytes)
return 1
`)

var inputKeys = []string{inputEndsKey, inputSizesKey}

// inputRoom refuses a job whose input does not fit beside those that are queued. The message of the
// refusal names the bound; retry is when to try again. It tells whether it entered the input: an
// equal job may have entered it before.
func (s *resultStore) inputRoom(
	ctx context.Context, id string, bytes int, life, retry time.Duration,
) (entered bool, err error) {
	ok, err := chargeInput.Run(ctx, s.rdb, inputKeys,
		id, bytes, s.limits().Inputs, life.Milliseconds()).Int()
	if err != nil {
		return false, unavailable(err)
	}
	if ok == 0 {
		return false, &BusyError{retry, "the queue holds as many bytes of inputs as it may"}
	}
	return ok == 2, nil
}

// releaseInput takes a job's input off the account. An entry left behind expires.
func (s *resultStore) releaseInput(ctx context.Context, id string) {
	if err := releaseInput.Run(ctx, s.rdb, inputKeys, id).Err(); err != nil {
		s.log.Debug("an input stays on the account until it expires", "job", id, "error", err)
	}
}

// inputBytes is what the account of inputs says.
func (s *resultStore) inputBytes(ctx context.Context) (int64, error) {
	n, err := s.rdb.HGet(ctx, inputSizesKey, "total").Int64()
	if errors.Is(err, redis.Nil) {
		return 0, nil
	}
	return n, err
}
