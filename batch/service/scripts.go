package service

import "github.com/redis/go-redis/v9"

// The braces put all keys in one hash slot of a cluster, which scripts with several keys require.
const (
	prefix = "slipstick:{batches}:"
	// leasesKey is a sorted set: batches that are not finalized, by end of lease [ms].
	leasesKey   = prefix + "leases"
	finishedKey = prefix + "finished" // sorted set: finished batches, by end time [ms]
	bytesKey    = prefix + "bytes"    // bytes of all records and rows
	heldKey     = prefix + "held"     // hash: owner to bytes of records and rows
	// pendingKey is a sorted set: batches whose calls are not yet debited, by creation time [ms].
	pendingKey = prefix + "pending"
	deletedKey = prefix + "deleted" // set: deleted batches that have rows in the database
)

func recordKey(id string) string { return prefix + "record:" + id } // hash
func rowsKey(id string) string   { return prefix + "rows:" + id }   // hash: first index to rows
// countsKey returns the key of a hash: first index to segment.
func countsKey(id string) string   { return prefix + "counts:" + id }
func ownerKey(owner string) string { return prefix + "owner:" + owner }

// luaForget defines ms, the Redis time, and four functions. hold(owner, size, place) counts bytes,
// forget(id) deletes a batch, and expire(ttl, most) deletes batches that ended longer than ttl ms
// ago. The place is "" for Redis and databasePlace for the database.
//
// room(owner, size, limit, share, ttl, keep, place) makes room for size more bytes of an owner. The
// limits are limit bytes for all owners and share bytes for the owner. It deletes batches that
// ended longer than ttl ms ago. If necessary and sufficient, it also deletes the owner's oldest
// finished batches, unless keep is 1. With keep 2 these batches remain and count as room. It never
// deletes recent batches of other owners. It returns "ok", or "share" or "full" for the limit that
// is reached.
const luaForget = `
local p = '` + prefix + `'
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local function hold(owner, size, place)
  redis.call('INCRBY', p .. 'bytes' .. place, size)
  local held = p .. 'held' .. place
  if redis.call('HINCRBY', held, owner, size) <= 0 then redis.call('HDEL', held, owner) end
end
local function forget(id)
  local b = redis.call('HMGET', p .. 'record:' .. id, 'bytes', 'owner', 'bytes` + databasePlace +
	`')
  if b[2] then
    hold(b[2], -(b[1] or 0), '')
    redis.call('ZREM', p .. 'owner:' .. b[2], id)
    if b[3] then
      hold(b[2], -b[3], '` + databasePlace + `')
      redis.call('SADD', p .. 'deleted', id)
    end
  end
  redis.call('DEL', p .. 'record:' .. id, p .. 'rows:' .. id, p .. 'counts:' .. id)
  redis.call('ZREM', p .. 'finished', id)
  redis.call('ZREM', p .. 'pending', id)
end
local function expire(ttl, most)
  local old = redis.call('ZRANGEBYSCORE', p .. 'finished', '-inf', ms - ttl, 'LIMIT', 0, most)
  for _, id in ipairs(old) do forget(id) end
  return #old
end
local function room(owner, size, limit, share, ttl, keep, place)
  local function excess()
    local held = tonumber(redis.call('HGET', p .. 'held' .. place, owner) or 0)
    local all = tonumber(redis.call('GET', p .. 'bytes' .. place) or 0)
    return held + size - share, all + size - limit
  end
  local function refusal()
    local mine, all = excess()
    if mine > 0 then return 'share' end
    if all > 0 then return 'full' end
    return 'ok'
  end
  while refusal() ~= 'ok' and expire(ttl, 20) > 0 do end
  if refusal() == 'ok' or keep == 1 then return refusal() end
  local finished, freed = {}, 0
  for _, id in ipairs(redis.call('ZRANGE', p .. 'owner:' .. owner, 0, -1)) do
    if redis.call('ZSCORE', p .. 'finished', id) then
      finished[#finished + 1] = id
      freed = freed + (redis.call('HGET', p .. 'record:' .. id, 'bytes' .. place) or 0)
    end
  end
  local mine, all = excess()
  if mine > freed or all > freed then return refusal() end
  if keep == 2 then return 'ok' end
  for _, id in ipairs(finished) do
    forget(id)
    if refusal() == 'ok' then break end
  end
  return refusal()
end
`

// createScript stores a new batch and reserves the bytes of its rows in the first place that has
// room. A pending batch has no coordinator until acceptScript.
//
//	KEYS[1] leases (the other keys have the same slot)
//	ARGV[1] id, ARGV[2] owner, ARGV[3] bytes of the record, ARGV[4] bytes of all rows,
//	ARGV[5] maximum of an owner's unfinished batches, ARGV[6] TTL of finished batches in ms,
//	ARGV[7] state: "pending" or "queued", ARGV[8] number of places;
//	per place: its name, limit of a batch's bytes, of the owner's, of all;
//	then fields and values
//
// Returns "ok"; "large", "full", "share", or "many" when the owner has as many unfinished batches
// as one may; and the place of the limit.
var createScript = redis.NewScript(luaForget + `
local pending, keep, open = ARGV[7] == 'pending', 0, 0
if pending then keep = 2 end
for _, unfinished in ipairs({KEYS[1], p .. 'pending'}) do -- an owner may have many more ended ones
  for _, id in ipairs(redis.call('ZRANGE', unfinished, 0, -1)) do
    if redis.call('ZSCORE', p .. 'owner:' .. ARGV[2], id) then open = open + 1 end
  end
end
if open >= tonumber(ARGV[5]) then return {'many', ''} end
local size, rows, places = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[8])
local reply = room(ARGV[2], size, tonumber(ARGV[12]), tonumber(ARGV[11]), ARGV[6], keep, '')
if reply ~= 'ok' then return {reply, ''} end
local place
reply = 'large'
for i = 1, places do
  local at, keepHere, record = 5 + 4 * i, keep, 0
  place = ARGV[at]
  if i < places then keepHere = 1 end
  if place == '' then record = size end
  if rows <= tonumber(ARGV[at + 1]) then
    reply = room(ARGV[2], record + rows, tonumber(ARGV[at + 3]), tonumber(ARGV[at + 2]), ARGV[6],
      keepHere, place)
  end
  if reply == 'ok' then break end
end
if reply ~= 'ok' then return {reply, place} end
local record = p .. 'record:' .. ARGV[1]
redis.call('HSET', record, 'owner', ARGV[2], 'bytes', size, 'state', ARGV[7],
  'created', string.format('%.0f', ms), unpack(ARGV, 9 + 4 * places))
redis.call('HINCRBY', record, 'bytes' .. place, rows)
redis.call('HSET', record, 'reserved' .. place, rows)
hold(ARGV[2], size, '')
hold(ARGV[2], rows, place)
redis.call('ZADD', p .. 'owner:' .. ARGV[2], ms, ARGV[1])
if pending then
  redis.call('ZADD', p .. 'pending', ms, ARGV[1])
else
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
end
return {'ok', place}
`)

// acceptScript accepts a pending batch, whose calls are debited.
//
//	KEYS[1] leases
//	ARGV[1] id, ARGV[2] TTL of finished batches in ms, ARGV[3] number of places;
//	per place: its name, limit of a batch's bytes, of the owner's, of all
//
// Returns "ok"; "full", "share", or "lost" for a batch that is not pending; and the place of the
// limit.
var acceptScript = redis.NewScript(luaForget + `
local record = p .. 'record:' .. ARGV[1]
local b = redis.call('HMGET', record, 'state', 'owner')
if b[1] ~= 'pending' then return {'lost', ''} end
for i = 1, tonumber(ARGV[3]) do
  local place = ARGV[4 * i]
  if redis.call('HEXISTS', record, 'bytes' .. place) == 1 then
    local reply = room(b[2], 0, tonumber(ARGV[4 * i + 3]), tonumber(ARGV[4 * i + 2]), ARGV[2], 0,
      place)
    if reply ~= 'ok' then return {reply, place} end
  end
end
redis.call('HSET', record, 'state', 'queued')
redis.call('ZREM', p .. 'pending', ARGV[1])
redis.call('ZADD', KEYS[1], 0, ARGV[1])
return {'ok', ''}
`)

// rejectScript rejects pending batches: acceptScript does not accept them later. Their debits are
// voided before they are deleted.
//
//	KEYS[1] pending
//	ARGV[1] minimum age in ms, ARGV[2] maximum number of batches
//
// Returns their ids.
var rejectScript = redis.NewScript(luaForget + `
local old = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ms - ARGV[1], 'LIMIT', 0, ARGV[2])
for _, id in ipairs(old) do redis.call('HSET', p .. 'record:' .. id, 'state', 'rejected') end
return old
`)

// deleteScript deletes a batch that was not accepted.
//
//	KEYS[1] record
//	ARGV[1] id
var deleteScript = redis.NewScript(luaForget + `
local state = redis.call('HGET', KEYS[1], 'state')
if state == 'pending' or state == 'rejected' then forget(ARGV[1]) end
return 1
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

// commitScript stores the rows of consecutive runs and counts them, once. The limits apply only to
// bytes that are not reserved.
//
//	KEYS[1] rows, KEYS[2] counts
//	ARGV[1] id, ARGV[2] token, ARGV[3] first index, ARGV[4] number of runs, ARGV[5] failed runs,
//	ARGV[6] failed runs that are not charged, ARGV[7] computing time in µs, ARGV[8] bytes,
//	ARGV[9] limit of the batch's bytes, ARGV[10] limit of all bytes, ARGV[11] limit of the owner's
//	bytes, ARGV[12] TTL of finished batches in ms, ARGV[13] 1: keep finished batches,
//	ARGV[14] place, ARGV[15] rows, or their name in the database, ARGV[16] bytes that were not
//	reserved for these rows
//
// Returns "ok", or "lost" when another coordinator has the batch or it has ended. Returns "large",
// "share" or "full" when the limit of the batch, of its owner or of all is reached.
var commitScript = redis.NewScript(luaForget + `
local record = p .. 'record:' .. ARGV[1]
local place = ARGV[14]
local b = redis.call('HMGET', record, 'lease', 'state', 'bytes' .. place, 'owner',
  'reserved' .. place)
if b[1] ~= ARGV[2] or b[2] ~= 'running' then return 'lost' end
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1 then return 'ok' end
local reserved = math.min(tonumber(b[5] or 0), ARGV[8] - ARGV[16])
local size = ARGV[8] - reserved
if size > 0 then
  if (b[3] or 0) + size > tonumber(ARGV[9]) then return 'large' end
  local reply = room(b[4], size, tonumber(ARGV[10]), tonumber(ARGV[11]), ARGV[12],
    tonumber(ARGV[13]), place)
  if reply ~= 'ok' then return reply end
end
if place == '' then
  redis.call('HSET', KEYS[1], ARGV[3], ARGV[15])
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4])
else
  redis.call('HSET', KEYS[2], ARGV[3], ARGV[4] .. ' ' .. ARGV[15])
end
redis.call('HINCRBY', record, 'done', ARGV[4])
redis.call('HINCRBY', record, 'failed', ARGV[5])
redis.call('HINCRBY', record, 'uncharged', ARGV[6])
redis.call('HINCRBY', record, 'micros', ARGV[7])
if reserved > 0 then redis.call('HINCRBY', record, 'reserved' .. place, -reserved) end
redis.call('HINCRBY', record, 'bytes' .. place, size)
hold(b[4], size, place)
return 'ok'
`)

// endScript ends a batch. A pending batch that is cancelled on request is rejected: acceptScript
// does not accept it later.
//
//	KEYS[1] record
//	ARGV[1] state, ARGV[2] reason or "", ARGV[3] token, or "" to cancel on request, ARGV[4] number
//	of rows that the batch must have, or "" for any
//
// Returns 1; 0 when the batch has ended or another coordinator has it; 2 when it has other rows.
var endScript = redis.NewScript(luaForget + `
local b = redis.call('HMGET', KEYS[1], 'lease', 'state', 'done')
if b[2] == 'pending' and ARGV[3] == '' then redis.call('HSET', KEYS[1], 'state', 'rejected') end
if b[2] ~= 'queued' and b[2] ~= 'running' then return 0 end
if ARGV[3] ~= '' and b[1] ~= ARGV[3] then return 0 end
if ARGV[4] ~= '' and tonumber(b[3] or 0) ~= tonumber(ARGV[4]) then return 2 end
redis.call('HSET', KEYS[1], 'state', ARGV[1], 'error', ARGV[2], 'ended', string.format('%.0f', ms))
return 1
`)

// finalizeScript stores the summary of an ended batch whose calls are charged. It releases the
// reserved bytes that its rows did not need, and ends its lease.
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
hold(b[3], ARGV[4], '')
for _, place in ipairs({'', '` + databasePlace + `'}) do
  local unused = tonumber(redis.call('HGET', KEYS[1], 'reserved' .. place) or 0)
  if unused > 0 then
    redis.call('HINCRBY', KEYS[1], 'bytes' .. place, -unused)
    redis.call('HDEL', KEYS[1], 'reserved' .. place)
    hold(b[3], -unused, place)
  end
end
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('ZADD', KEYS[3], b[2], ARGV[1])
return 1
`)
