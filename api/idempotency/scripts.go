package idempotency

import "github.com/redis/go-redis/v9"

// The braces put all keys in one hash slot of a cluster, which scripts with several keys require.
const prefix = "slipstick:{idempotency}:"

func lockKey(name string) string   { return prefix + "lock:" + name }   // content hash and token
func recordKey(name string) string { return prefix + "record:" + name } // hash

// beginScript returns the stored response, or locks the request.
//
//	KEYS[1] lock, KEYS[2] record
//	ARGV[1] hash of the content, ARGV[2] token, ARGV[3] TTL of the lock [ms]
//
// Returns {"answer", stored response}; {"begun"}; {"locked"} while the request is in progress; or
// {"mismatch"} if the key belongs to a request with other content.
var beginScript = redis.NewScript(`
local record = redis.call('HMGET', KEYS[2], 'content', 'answer')
if record[1] then
  if record[1] ~= ARGV[1] then return {'mismatch'} end
  return {'answer', record[2]}
end
local lock = redis.call('GET', KEYS[1])
if lock then
  if string.sub(lock, 1, #ARGV[1]) ~= ARGV[1] then return {'mismatch'} end
  return {'locked'}
end
redis.call('SET', KEYS[1], ARGV[1] .. ARGV[2], 'PX', ARGV[3])
return {'begun'}
`)

// renewScript renews a lock: KEYS[1] lock, ARGV[1] its value, ARGV[2] its TTL [ms].
var renewScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1
`)

// releaseScript removes a lock: KEYS[1] lock, ARGV[1] its value.
var releaseScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`)

// finishScript stores a response and removes the lock. To stay within the limits, it first deletes
// the oldest responses of the caller, then the oldest responses of all callers. If maxmemory is
// set, all responses together use at most a share of it. The responses of one caller then use at
// most an eighth of that share.
//
//	KEYS[1] lock, KEYS[2] record (the other keys have the same slot)
//	ARGV[1] name, ARGV[2] caller, ARGV[3] hash of the content, ARGV[4] value of the lock,
//	ARGV[5] response, ARGV[6] its size in bytes, ARGV[7] TTL [ms], ARGV[8] limit of the caller's
//	bytes, ARGV[9] limit of all bytes, ARGV[10] share of maxmemory
var finishScript = redis.NewScript(`
local p = '` + prefix + `'
if redis.call('GET', KEYS[1]) == ARGV[4] then redis.call('DEL', KEYS[1]) end
if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local size, ttl = tonumber(ARGV[6]), tonumber(ARGV[7])

-- A member is name, bytes and caller of a record. The sorted sets are ordered by time.
local function forget(member)
  local name, bytes, caller = string.match(member, '^(%x+) (%d+) (%x+)$')
  redis.call('DEL', p .. 'record:' .. name)
  redis.call('ZREM', p .. 'all', member)
  redis.call('ZREM', p .. 'caller:' .. caller, member)
  redis.call('HINCRBY', p .. 'bytes', 'all', -bytes)
  if redis.call('HINCRBY', p .. 'bytes', caller, -bytes) <= 0 then redis.call('HDEL', p .. 'bytes', caller) end
end
for _, member in ipairs(redis.call('ZRANGEBYSCORE', p .. 'all', '-inf', ms - ttl, 'LIMIT', 0, 100)) do
  forget(member)
end
local function room(set, field, limit)
  while (tonumber(redis.call('HGET', p .. 'bytes', field)) or 0) + size > limit do
    local oldest = redis.call('ZRANGE', set, 0, 0)[1]
    if not oldest then return end
    forget(oldest)
  end
end
local caller, all = tonumber(ARGV[8]), tonumber(ARGV[9])
local info = redis.pcall('INFO', 'memory')
local memory = type(info) == 'string' and tonumber(string.match(info, '\nmaxmemory:(%d+)')) or 0
if memory > 0 then
  all = math.min(all, memory * tonumber(ARGV[10]))
  caller = math.min(caller, all / 8)
end
room(p .. 'caller:' .. ARGV[2], ARGV[2], caller)
room(p .. 'all', 'all', all)

redis.call('HSET', KEYS[2], 'content', ARGV[3], 'answer', ARGV[5])
redis.call('PEXPIRE', KEYS[2], ttl)
local member = ARGV[1] .. ' ' .. ARGV[6] .. ' ' .. ARGV[2]
redis.call('ZADD', p .. 'all', ms, member)
redis.call('ZADD', p .. 'caller:' .. ARGV[2], ms, member)
redis.call('HINCRBY', p .. 'bytes', 'all', size)
redis.call('HINCRBY', p .. 'bytes', ARGV[2], size)
return 1
`)
