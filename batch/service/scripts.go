package service

import "github.com/redis/go-redis/v9"

// The braces put all keys in one slot of a cluster, so that a script may use several.
const (
	prefix      = "slipstick:{batches}:"
	leasesKey   = prefix + "leases"   // sorted set: batches that are not finalized, by end of lease [ms]
	finishedKey = prefix + "finished" // sorted set: finished batches by time of their end [ms]
	bytesKey    = prefix + "bytes"    // bytes of all records and rows
	heldKey     = prefix + "held"     // hash: owner to bytes of the owner's records and rows
)

func recordKey(id string) string   { return prefix + "record:" + id } // hash
func rowsKey(id string) string     { return prefix + "rows:" + id }   // hash: first index to rows
func countsKey(id string) string   { return prefix + "counts:" + id } // hash: first index to number
func ownerKey(owner string) string { return prefix + "owner:" + owner }

// luaForget defines ms, the time of Redis; hold(owner, size), which counts bytes; forget(id), which
// deletes a finished batch; and room(owner, size, limit, ttl). room makes room for size more bytes of
// an owner within limit, the owner's share being a quarter of it. It deletes batches that ended
// longer than ttl ms ago, and the owner's oldest finished ones; those of other owners stay.
const luaForget = `
local p = '` + prefix + `'
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local function hold(owner, size)
  redis.call('INCRBY', p .. 'bytes', size)
  if redis.call('HINCRBY', p .. 'held', owner, size) <= 0 then redis.call('HDEL', p .. 'held', owner) end
end
local function forget(id)
  local b = redis.call('HMGET', p .. 'record:' .. id, 'bytes', 'owner')
  if b[2] then
    hold(b[2], -(b[1] or 0))
    redis.call('ZREM', p .. 'owner:' .. b[2], id)
  end
  redis.call('DEL', p .. 'record:' .. id, p .. 'rows:' .. id, p .. 'counts:' .. id)
  redis.call('ZREM', p .. 'finished', id)
end
local function expire(ttl, most)
  local old = redis.call('ZRANGEBYSCORE', p .. 'finished', '-inf', ms - ttl, 'LIMIT', 0, most)
  for _, id in ipairs(old) do forget(id) end
  return #old
end
local function room(owner, size, limit, ttl)
  local function exceeds(held, most) return (tonumber(held) or 0) + size > most end
  local function full() return exceeds(redis.call('GET', p .. 'bytes'), limit) end
  while full() and expire(ttl, 20) > 0 do end
  if full() or exceeds(redis.call('HGET', p .. 'held', owner), limit / 4) then
    for _, id in ipairs(redis.call('ZRANGE', p .. 'owner:' .. owner, 0, -1)) do
      if redis.call('ZSCORE', p .. 'finished', id) then forget(id) end
      if not full() and not exceeds(redis.call('HGET', p .. 'held', owner), limit / 4) then break end
    end
  end
  return not full()
end
`

// createScript stores a new batch.
//
//	KEYS[1] leases (the other keys have the same slot)
//	ARGV[1] id, ARGV[2] owner, ARGV[3] bytes, ARGV[4] limit of all bytes, ARGV[5] most unfinished
//	batches of an owner, ARGV[6] TTL of finished batches in ms, ARGV[7...] fields and values
//
// Returns "ok", "full", or "many" when the owner has as many unfinished batches as one may.
var createScript = redis.NewScript(luaForget + `
local open = 0
for _, id in ipairs(redis.call('ZRANGE', p .. 'owner:' .. ARGV[2], 0, -1)) do
  if redis.call('ZSCORE', KEYS[1], id) then open = open + 1 end
end
if open >= tonumber(ARGV[5]) then return 'many' end
if not room(ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[6]) then return 'full' end
redis.call('HSET', p .. 'record:' .. ARGV[1], 'owner', ARGV[2], 'bytes', ARGV[3],
  'created', string.format('%.0f', ms), unpack(ARGV, 7))
hold(ARGV[2], ARGV[3])
redis.call('ZADD', p .. 'owner:' .. ARGV[2], ms, ARGV[1])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
return 'ok'
`)

// leaseScript leases a batch that has no coordinator, and deletes expired batches.
//
//	KEYS[1] leases
//	ARGV[1] token, ARGV[2] duration of the lease in ms, ARGV[3] TTL of finished batches in ms
//
// Returns the id, or "" when every batch has a coordinator.
var leaseScript = redis.NewScript(luaForget + `
expire(ARGV[3], 20)
local id = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms, 'LIMIT', 0, 1)[1]
if not id then return '' end
redis.call('ZADD', KEYS[1], ms + ARGV[2], id)
redis.call('HSET', p .. 'record:' .. id, 'lease', ARGV[1])
if redis.call('HGET', p .. 'record:' .. id, 'state') == 'queued' then
  redis.call('HSET', p .. 'record:' .. id, 'state', 'running', 'started', string.format('%.0f', ms))
end
return id
`)

// renewScript renews a lease. With 0 as its duration the lease ends.
//
//	KEYS[1] leases
//	ARGV[1] id, ARGV[2] token, ARGV[3] duration in ms
//
// Returns the state of the batch and the number of batches that are not finalized, or nothing when
// another coordinator has the batch.
var renewScript = redis.NewScript(luaForget + `
local b = redis.call('HMGET', p .. 'record:' .. ARGV[1], 'lease', 'state')
if b[1] ~= ARGV[2] then return {} end
redis.call('ZADD', KEYS[1], ms + ARGV[3], ARGV[1])
return {b[2], tostring(redis.call('ZCARD', KEYS[1]))}
`)

// commitScript stores the rows of consecutive runs and counts them, once.
//
//	KEYS[1] rows, KEYS[2] counts
//	ARGV[1] id, ARGV[2] token, ARGV[3] first index, ARGV[4] number of runs, ARGV[5] failed runs,
//	ARGV[6] failed runs that are not charged, ARGV[7] computing time in µs, ARGV[8] bytes,
//	ARGV[9] limit of the batch's bytes, ARGV[10] limit of all bytes, ARGV[11] TTL of finished
//	batches in ms, ARGV[12] rows
//
// Returns "ok"; "lost" when another coordinator has the batch or it has ended; "large" and "full"
// when a limit of bytes is reached.
var commitScript = redis.NewScript(luaForget + `
local record = p .. 'record:' .. ARGV[1]
local b = redis.call('HMGET', record, 'lease', 'state', 'bytes', 'owner')
if b[1] ~= ARGV[2] or b[2] ~= 'running' then return 'lost' end
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1 then return 'ok' end
if b[3] + ARGV[8] > tonumber(ARGV[9]) then return 'large' end
if not room(b[4], tonumber(ARGV[8]), tonumber(ARGV[10]), ARGV[11]) then return 'full' end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[12])
redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
redis.call('HINCRBY', record, 'done', ARGV[4])
redis.call('HINCRBY', record, 'failed', ARGV[5])
redis.call('HINCRBY', record, 'uncharged', ARGV[6])
redis.call('HINCRBY', record, 'micros', ARGV[7])
redis.call('HINCRBY', record, 'bytes', ARGV[8])
hold(b[4], ARGV[8])
return 'ok'
`)

// endScript ends a batch.
//
//	KEYS[1] record
//	ARGV[1] state, ARGV[2] reason or "", ARGV[3] token, or "" to cancel on request, ARGV[4] number
//	of rows that the batch must have, or "" for any
//
// Returns 1; 0 when the batch has ended or another coordinator has it; 2 when it has other rows.
var endScript = redis.NewScript(luaForget + `
local b = redis.call('HMGET', KEYS[1], 'lease', 'state', 'done')
if b[2] ~= 'queued' and b[2] ~= 'running' then return 0 end
if ARGV[3] ~= '' and b[1] ~= ARGV[3] then return 0 end
if ARGV[4] ~= '' and tonumber(b[3] or 0) ~= tonumber(ARGV[4]) then return 2 end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'error', ARGV[2], 'ended', string.format('%.0f', ms))
return 1
`)

// finalizeScript stores the summary of an ended batch, whose calls are charged, and ends its lease.
//
//	KEYS[1] record, KEYS[2] leases, KEYS[3] finished
//	ARGV[1] id, ARGV[2] token, ARGV[3] summary, ARGV[4] its bytes
//
// Returns 1, or 0 when another coordinator has the batch.
var finalizeScript = redis.NewScript(luaForget + `
local b = redis.call('HMGET', KEYS[1], 'lease', 'ended', 'owner')
if b[1] ~= ARGV[2] or not b[2] then return 0 end
redis.call('HSET', KEYS[1], 'summary', ARGV[3])
redis.call('HINCRBY', KEYS[1], 'bytes', ARGV[4])
hold(b[3], ARGV[4])
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[3], b[2], ARGV[1])
return 1
`)
