package usage

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/keys"
)

// The braces put all keys in one hash slot of a cluster, which scripts with several keys require.
const (
	redisPrefix    = "slipstick:{counts}:"
	liveKey        = redisPrefix + "live"   // hash: the open records
	batchesKey     = redisPrefix + "sealed" // set: ids of batches
	justRotatedKey = redisPrefix + "just-sealed"
)

func counterKey(counter string) string { return redisPrefix + "counter:" + counter }
func writerKey(writer string) string   { return redisPrefix + "writer:" + writer }
func batchKey(id string) string        { return redisPrefix + "batch:" + id }
func windowKey(counter string) string  { return redisPrefix + "window:" + counter }

// writerTTL is the TTL of the last number of a writer. The TTL is renewed at most once per
// renewEvery.
const (
	writerTTL  = 24 * time.Hour
	renewEvery = time.Hour
)

// commitScript applies a batch. Commands dominate the cost of a batch. If the number is new and no
// limit is reached, the script therefore uses one command for the number and one per counter. It
// reverses debits above a limit.
//
//	KEYS[1] last number of the writer, KEYS[2] open records, KEYS[3...] counters of the
//	adjustments, then of the debits
//	ARGV[1] number, ARGV[2] TTL of the writer's number in s, ARGV[3] '1' to renew that TTL,
//	ARGV[4] number of debits, ARGV[5] number of adjustments, ARGV[6] '1' to delete the number
//	unless the debit is granted;
//	per adjustment: calls, its TTL in s;
//	per debit: limit, size, count, count times size, its TTL in s, field of its record or '';
//	with a field also the last use in Unix ms, the computing time in µs of all calls, a list of
//	the sums over the first call, the first two, ... all;
//	per record: field, calls, computing time in µs, last use in Unix ms
//
// Returns granted and used per debit; or the string "applied".
var commitScript = redis.NewScript(`
local call, KEYS, ARGV = redis.call, KEYS, ARGV
local number, last = tonumber(ARGV[1]), call('INCR', KEYS[1])
if last > number then
  call('DECR', KEYS[1])
  return 'applied'
end
if last < number then
  call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
elseif ARGV[3] == '1' then
  call('EXPIRE', KEYS[1], ARGV[2])
end
local key, arg, reply = 3, 7, {}
local function use(field, calls, micros, at)
  call('HINCRBY', KEYS[2], 'n|' .. field, calls)
  call('HINCRBY', KEYS[2], 'us|' .. field, micros)
  call('HSET', KEYS[2], 'at|' .. field, at)
end
for i = 1, tonumber(ARGV[5]) do
  local used = call('INCRBY', KEYS[key], ARGV[arg])
  if used <= 0 then call('DEL', KEYS[key]) else call('EXPIRE', KEYS[key], ARGV[arg + 1]) end
  key, arg = key + 1, arg + 2
end
for i = 1, tonumber(ARGV[4]) do
  local limit, granted, asked = tonumber(ARGV[arg]), tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
  local used = call('INCRBY', KEYS[key], ARGV[arg + 3])
  local all = used <= limit
  if used == asked then call('EXPIRE', KEYS[key], ARGV[arg + 4]) end
  if not all then
    local size = tonumber(ARGV[arg + 1])
    granted = math.max(0, math.floor((limit - (used - asked)) / size))
    used = call('DECRBY', KEYS[key], asked - granted * size)
    if used == 0 then call('DEL', KEYS[key]) end
    if ARGV[6] == '1' then call('DEL', KEYS[1]) end
  end
  reply[2 * i - 1], reply[2 * i] = granted, used
  local field = ARGV[arg + 5]
  key, arg = key + 1, arg + 6
  if field ~= '' then
    if all then
      use(field, granted, ARGV[arg + 1], ARGV[arg])
    elseif granted > 0 then
      local calls = 0
      for micros in string.gmatch(ARGV[arg + 2], '%d+') do
        calls = calls + 1
        if calls == granted then use(field, granted, micros, ARGV[arg]) end
      end
    end
    arg = arg + 3
  end
end
while ARGV[arg] do
  use(ARGV[arg], ARGV[arg + 1], ARGV[arg + 2], ARGV[arg + 3])
  arg = arg + 4
end
return reply
`)

// rotateScript renames the open records.
//
//	KEYS[1] open records, KEYS[2] ids of batches, KEYS[3] mark of the last rotation,
//	KEYS[4] the batch
//	ARGV[1] id, ARGV[2] maximum number of batches, ARGV[3] TTL of the mark in ms
//
// Returns 1 when renamed, else 0.
var rotateScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
if redis.call('SCARD', KEYS[2]) >= tonumber(ARGV[2]) then return 0 end
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[3]) then return 0 end
redis.call('RENAME', KEYS[1], KEYS[4])
redis.call('SADD', KEYS[2], ARGV[1])
return 1
`)

// windowScript counts an event in a sliding window.
//
//	KEYS[1] the window: events, scored with their time
//	ARGV[1] limit, ARGV[2] window in ms, ARGV[3] time in Unix ms, ARGV[4] id of the event
//
// Returns 0 when it was counted, else the ms until an event is allowed.
var windowScript = redis.NewScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) < tonumber(ARGV[1]) then
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[4])
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return 0
end
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return math.max(1, oldest[2] + ARGV[2] - ARGV[3])
`)

// Redis is a Store that any number of processes share.
type Redis struct {
	rdb     redis.UniversalClient
	writers writerTTLs
}

// NewRedis returns a Store in Redis. The caller closes the client.
func NewRedis(rdb redis.UniversalClient) *Redis { return &Redis{rdb: rdb} }

var _ Store = (*Redis)(nil)

// Close implements Store. It does nothing because the caller closes the client.
func (r *Redis) Close() error { return nil }

// writerTTLs tracks when the TTL of a writer's number was last renewed. It remembers only the last
// writer, which is the process itself except after a Once batch.
type writerTTLs struct {
	mu     sync.Mutex
	writer string
	since  time.Time
}

// due reports whether the TTL must be renewed.
func (m *writerTTLs) due(writer string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writer != writer || now.Sub(m.since) > renewEvery
}

func (m *writerTTLs) renewed(writer string, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writer, m.since = writer, now
}

// Commit implements Store.
func (r *Redis) Commit(ctx context.Context, b *Batch) error {
	names := make([]string, 0, 2+len(b.Debits)+len(b.Adjustments))
	args := make([]any, 0, 6+9*len(b.Debits)+2*len(b.Adjustments)+4*len(b.Records))
	names = append(names, writerKey(b.Writer), liveKey)
	renew, once, now := 0, 0, time.Now()
	if b.Once {
		once = 1
	}
	if r.writers.due(b.Writer, now) {
		renew = 1
	}
	args = append(args, b.Number, int(writerTTL.Seconds()), renew, len(b.Debits),
		len(b.Adjustments), once)
	for _, a := range b.Adjustments {
		names = append(names, counterKey(a.Counter))
		args = append(args, a.Calls, seconds(a.TTL))
	}
	for i := range b.Debits {
		t := &b.Debits[i]
		names = append(names, counterKey(t.Counter))
		args = append(args, t.Limit, t.Size, t.Count, t.Count*t.Size, seconds(t.TTL))
		if t.Record.Prefix == "" {
			args = append(args, "")
			continue
		}
		sums := make([]byte, 0, 8*len(t.Compute))
		for _, ms := range t.Compute {
			sums = append(strconv.AppendInt(sums, int64(ms*1000), 10), ' ')
		}
		args = append(args, fieldOf(t.Record), t.Record.LastUsed.UnixMilli(),
			int64(t.Compute[t.Count-1]*1000), sums)
	}
	for _, u := range b.Records {
		args = append(args, fieldOf(u), u.Calls, int64(u.ComputeMS*1000), u.LastUsed.UnixMilli())
	}
	reply, err := commitScript.Run(ctx, r.rdb, names, args...).Result()
	if err != nil {
		return err
	}
	if renew == 1 {
		r.writers.renewed(b.Writer, now)
	}
	list, ok := reply.([]any)
	if !ok {
		return ErrApplied
	}
	if len(list) != 2*len(b.Debits) {
		return fmt.Errorf("Redis returned %d values for %d debits", len(list), len(b.Debits))
	}
	for i := range b.Debits {
		b.Debits[i].Granted, _ = list[2*i].(int64)
		b.Debits[i].Used, _ = list[2*i+1].(int64)
	}
	return nil
}

// Void implements Store.
func (r *Redis) Void(ctx context.Context, writer string) (applied bool, err error) {
	key := writerKey(writer)
	if err := r.rdb.SetNX(ctx, key, voidNumber, writerTTL).Err(); err != nil {
		return false, err
	}
	number, err := r.rdb.Get(ctx, key).Int()
	return number == onceNumber, err
}

// fieldOf returns the field of a record in the hash of open records.
func fieldOf(u keys.UsageRecord) string {
	return u.Prefix + "|" + u.Tool + "|" + u.Day.UTC().Format(time.DateOnly) + "|" +
		string(u.Outcome)
}

// Rotate implements Store.
func (r *Redis) Rotate(ctx context.Context, id string) error {
	return rotateScript.Run(ctx, r.rdb, []string{liveKey, batchesKey, justRotatedKey, batchKey(id)},
		id, maxBatches, rotateEvery.Milliseconds()).Err()
}

// Batches implements Store.
func (r *Redis) Batches(ctx context.Context) ([]string, error) {
	return r.rdb.SMembers(ctx, batchesKey).Result()
}

// ReadBatch implements Store.
func (r *Redis) ReadBatch(ctx context.Context, id string) ([]keys.UsageRecord, error) {
	fields, err := r.rdb.HGetAll(ctx, batchKey(id)).Result()
	if err != nil {
		return nil, err
	}
	var records []keys.UsageRecord
	for name, value := range fields {
		rest, ok := strings.CutPrefix(name, "n|")
		if !ok {
			continue
		}
		u, err := parseRecord(rest, value, fields["us|"+rest], fields["at|"+rest])
		if err != nil {
			return nil, fmt.Errorf("batch %s: field %q: %w", id, name, err)
		}
		records = append(records, u)
	}
	return records, nil
}

func parseRecord(field, calls, micros, at string) (u keys.UsageRecord, err error) {
	part := strings.Split(field, "|")
	if len(part) != 4 {
		return u, errors.New("it has not four parts")
	}
	day, err := time.Parse(time.DateOnly, part[2])
	n, err2 := strconv.ParseInt(calls, 10, 64)
	us, err3 := strconv.ParseInt(micros, 10, 64)
	ms, err4 := strconv.ParseInt(at, 10, 64)
	return keys.UsageRecord{
		Prefix: part[0], Tool: part[1], Day: day, Outcome: keys.Outcome(part[3]),
		Calls: n, ComputeMS: float64(us) / 1000, LastUsed: time.UnixMilli(ms).UTC(),
	}, errors.Join(err, err2, err3, err4)
}

// Ack implements Store.
func (r *Redis) Ack(ctx context.Context, id string) error {
	_, err := r.rdb.TxPipelined(ctx, func(p redis.Pipeliner) error {
		p.Del(ctx, batchKey(id))
		p.SRem(ctx, batchesKey, id)
		return nil
	})
	return err
}

// AllowWithin implements Store.
func (r *Redis) AllowWithin(ctx context.Context, counter string, limit int, window time.Duration,
	now time.Time) (time.Duration, error) {
	ms, err := windowScript.Run(ctx, r.rdb, []string{windowKey(counter)}, limit,
		window.Milliseconds(), now.UnixMilli(), NewID()).Int64()
	return time.Duration(ms) * time.Millisecond, err
}
