package store

import "github.com/redis/go-redis/v9"

// A job in flight is a hash at JobKey. Its field "task" names the only task that may run it; a task
// with another name is stale and ends. queue.go describes the queues. A finished job is a record at
// ResultKey, whose first byte is its state; it has no hash.

// luaLeft defines left(value), which reports whether a value in the callers' hash belongs to a
// caller that has left.
const luaLeft = `
local function left(value) return string.sub(value, 1, 1) == '-' end
`

// admitScript looks up the job for a caller's request, or creates it if fields are given. It
// records the caller and the time. Callers beyond the maximum share the entry "", which is not a
// valid name.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] callers
//	ARGV[1] token of the waiter, ARGV[2] the token's TTL in ms, ARGV[3] "1" detaches the job,
//	ARGV[4] TTL of the hash in ms, ARGV[5] caller or "", ARGV[6] maximum of callers,
//	ARGV[7] TTL of the callers in ms, ARGV[8] time in ms, ARGV[9...] fields and values; none: do
//	not create
//
// Returns {"finished", record} for a reusable result; {"large", head of the record, its length}
// for a large one; {"joined", fields and values} for a job in flight; {"created"}; or {"absent"}.
// Failed, cancelled and early-stopped jobs are replaced.
var admitScript = redis.NewScript(luaNow + luaLeft + `
local function note()
  if ARGV[5] == '' then return end
  local joined = redis.call('HGET', KEYS[4], ARGV[5])
  if joined and left(joined) or not joined and redis.call('HLEN', KEYS[4]) < tonumber(ARGV[6]) then
    redis.call('HSET', KEYS[4], ARGV[5], ARGV[8])
  elseif not joined then
    redis.call('HSETNX', KEYS[4], '', ARGV[8])
  end
  redis.call('PEXPIRE', KEYS[4], ARGV[7])
end
local state = redis.call('GETRANGE', KEYS[2], 0, 0)
if state == 'd' or state == 'r' then
  note()
  return {'finished', redis.call('GET', KEYS[2])}
end
if state == 'D' then
  note()
  return {'large', redis.call('GETRANGE', KEYS[2], 0, ` + headBytes +
	` - 1), redis.call('STRLEN', KEYS[2])}
end
local reply
if redis.call('EXISTS', KEYS[1]) == 1 then
  if ARGV[3] == '1' then redis.call('HSET', KEYS[1], 'keep', '1') end
  note()
  reply = {'joined', redis.call('HMGET', KEYS[1], ` + inFlightFields + `)}
elseif #ARGV == 8 then
  return {'absent'}
else
  if state ~= '' then redis.call('DEL', KEYS[2]) end
  redis.call('DEL', KEYS[4])
  note()
  redis.call('HSET', KEYS[1], 'keep', ARGV[3], unpack(ARGV, 9))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  reply = {'created'}
end
redis.call('ZADD', KEYS[3], ms + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[3], ARGV[2])
return reply
`)

// lookupScript returns the state of a job and renews waiters.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] heartbeat
//	ARGV[1] a token's TTL in ms, ARGV[2...] tokens
//
// Returns {"finished", record}; {"large", head of the record, its length}; {"unfinished", values
// of inFlightFields, heartbeat exists 0/1}; or {"absent"}.
var lookupScript = redis.NewScript(`
local state = redis.call('GETRANGE', KEYS[2], 0, 0)
if state == 'D' or state == 'E' then
  return {'large', redis.call('GETRANGE', KEYS[2], 0, ` + headBytes +
	` - 1), redis.call('STRLEN', KEYS[2])}
end
local record = redis.call('GET', KEYS[2])
if record then return {'finished', record} end
if redis.call('EXISTS', KEYS[1]) == 0 then return {'absent'} end
if #ARGV > 1 then
  local now = redis.call('TIME')
  local till = now[1] * 1000 + math.floor(now[2] / 1000) + ARGV[1]
  for i = 2, #ARGV do redis.call('ZADD', KEYS[3], till, ARGV[i]) end
  redis.call('PEXPIRE', KEYS[3], ARGV[1])
end
return {'unfinished', redis.call('HMGET', KEYS[1], ` + inFlightFields +
	`), redis.call('EXISTS', KEYS[4])}
`)

// inFlightFields are the fields of the job hash that clients read. The input, which may be large,
// is not among them.
const inFlightFields = `'tool', 'version', 'state', 'task', 'pool', 'class', 'caller', 'enqueued', ` +
	`'deadline', 'moved', 'progress', 'timeout', 'group', 'share'`

// detachScript ends a bounded wait: it removes the waiter and detaches the job.
//
//	KEYS[1] job hash, KEYS[2] waiters
//	ARGV[1] token
//
// Returns 1 when the job is in flight, else 0.
var detachScript = redis.NewScript(`
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'keep', '1')
return 1
`)

// cancelScript finishes a job as cancelled: on request, or when its last caller or waiter leaves.
// The stored record stops every present and future run.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] heartbeat, KEYS[5] callers
//	ARGV[1] record, ARGV[2] its TTL in ms, ARGV[3] id, ARGV[4] done channel,
//	ARGV[5] cancel channel, ARGV[6] token of the waiter that leaves, ARGV[7] caller that leaves,
//	ARGV[8] left channel; with neither token nor caller the job is cancelled unconditionally
//
// Returns {"cancelled", values of inFlightFields}; {"left"} if the caller left and the job
// continues for others; {"stranger"} if the caller has neither submitted nor joined the job.
// Otherwise the list is empty: the job is finished, unknown, detached, or has another waiter.
var cancelScript = redis.NewScript(luaNow + luaLeft + `
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
if ARGV[6] ~= '' then
  redis.call('ZREM', KEYS[3], ARGV[6])
  redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', ms)
  if redis.call('ZCARD', KEYS[3]) > 0 then return {} end
  if redis.call('HGET', KEYS[1], 'keep') == '1' then return {} end
end
if ARGV[7] ~= '' then
  local joined = redis.call('HGET', KEYS[5], ARGV[7])
  if joined then
    if not left(joined) then redis.call('HSET', KEYS[5], ARGV[7], '-' .. ms .. '-' .. joined) end
  elseif redis.call('HEXISTS', KEYS[5], '') == 0 then
    return {'stranger'}
  end
  for _, other in ipairs(redis.call('HVALS', KEYS[5])) do
    if not left(other) then
      redis.call('PUBLISH', ARGV[8], ARGV[3] .. ' ' .. ARGV[7])
      return {'left'}
    end
  end
end
local reply = redis.call('HMGET', KEYS[1], ` + inFlightFields + `)
if not redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then return {} end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.call('PUBLISH', ARGV[5], ARGV[3])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return {'cancelled', reply}
`)

// stopEarlyScript asks the run of a job to end early. Equal requests of several callers share a
// job, so the request is allowed only if the job has a single caller.
//
//	KEYS[1] job hash, KEYS[2] callers
//	ARGV[1] caller, ARGV[2] id, ARGV[3] cancel channel, whose messages trigger a heartbeat
//
// Returns 1, or 0 when the job is not running or ARGV[1] is not its only caller.
var stopEarlyScript = redis.NewScript(luaLeft + `
if redis.call('HGET', KEYS[1], 'state') ~= 'running' then return 0 end
if left(redis.call('HGET', KEYS[2], ARGV[1]) or '-') then return 0 end
local callers = 0
for _, joined in ipairs(redis.call('HVALS', KEYS[2])) do
  if not left(joined) then callers = callers + 1 end
end
if callers > 1 then return 0 end
redis.call('HSET', KEYS[1], 'stop_early', '1')
redis.call('PUBLISH', ARGV[3], ARGV[2])
return 1
`)

// moveScript gives a job a new task because its worker died or its task was lost. It also moves a
// job to the queue of a higher priority. Of several concurrent calls the first wins. A job that was
// running gets the full queue timeout again.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] heartbeat
//	ARGV[1] present task, ARGV[2] new task, ARGV[3] state in which it may be moved,
//	ARGV[4] new priority or "", ARGV[5] time in ms, ARGV[6] group whose turn the job takes
//
// Returns 1 when moved, 0 when the task, the state or the heartbeat differs.
var moveScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'task') ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[1], 'state') ~= ARGV[3] then return 0 end
if redis.call('EXISTS', KEYS[2]) == 1 or redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'task', ARGV[2], 'state', 'queued', 'moved', ARGV[5], 'group', ARGV[6])
if ARGV[3] == 'running' then
  local job = redis.call('HMGET', KEYS[1], 'deadline', 'enqueued')
  redis.call('HSET', KEYS[1], 'deadline', string.format('%.0f', ARGV[5] + job[1] - job[2]))
end
if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'class', ARGV[4]) end
return 1
`)

// withdrawScript deletes a job that could not be enqueued.
//
//	KEYS[1] job hash, KEYS[2] waiters
//	ARGV[1] task
//
// Returns 1 when it was deleted, 0 when it has another task.
var withdrawScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'task') ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
return 1
`)

// beginScript begins the run of a task.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] heartbeat
//	ARGV[1] task, ARGV[2] TTL of the heartbeat in ms, ARGV[3] id, ARGV[4] progress channel,
//	ARGV[5...] the worker's tools, each as name, space and version; none: any tool
//
// Returns the hash as fields and values with this run counted; {"unknown", tool and version, ms
// since a worker without the tool first received the job} when the worker lacks the tool; empty
// when the task must not run: the job is finished or cancelled, has another task, or is running.
var beginScript = redis.NewScript(luaNow + `
if redis.call('EXISTS', KEYS[2]) == 1 then return {} end
local job = redis.call('HMGET', KEYS[1], 'task', 'state', 'tool', 'version')
if job[1] ~= ARGV[1] then return {} end
if job[2] == 'running' and redis.call('EXISTS', KEYS[3]) == 1 then return {} end
local known = #ARGV == 4
for i = 5, #ARGV do
  if ARGV[i] == job[3] .. ' ' .. job[4] then known = true end
end
if not known then
  redis.call('HSETNX', KEYS[1], 'unknown', ms)
  return {'unknown', job[3] .. ' ' .. job[4], tostring(ms - redis.call('HGET', KEYS[1], 'unknown'))}
end
redis.call('HINCRBY', KEYS[1], 'runs', 1)
redis.call('HSET', KEYS[1], 'state', 'running', 'progress', '')
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return redis.call('HGETALL', KEYS[1])
`)

// heartbeatScript renews the heartbeat of a run.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] heartbeat
//	ARGV[1] task, ARGV[2] TTL of the heartbeat in ms, ARGV[3] time of the job's submission
//
// Returns "go"; "stop_early" when the run is to stop early; "stop" when the job has a result (which
// may be "cancelled") or another run; "lost" when Redis lost the job. If the job was moved because
// its worker was presumed dead, and has not begun again, the worker resumes it.
var heartbeatScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[2]) == 1 then return 'stop' end
local job = redis.call('HMGET', KEYS[1], 'task', 'state', 'enqueued')
if not job[1] then return 'lost' end
if job[1] ~= ARGV[1] then
  if job[2] ~= 'queued' or job[3] ~= ARGV[3] then return 'stop' end
  redis.call('HSET', KEYS[1], 'task', ARGV[1], 'state', 'running')
end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
if redis.call('HGET', KEYS[1], 'stop_early') == '1' then return 'stop_early' end
return 'go'
`)

// restoreScript writes the hash of a running job that Redis lost.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] heartbeat
//	ARGV[1] task, ARGV[2] TTL of the heartbeat in ms, ARGV[3] TTL of the hash in ms,
//	ARGV[4...] fields and values
//
// Returns 1 when written, 0 when the job or its result exists.
var restoreScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[1]) == 1 or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV, 4))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
return 1
`)

// countRunScript counts another run of a job whose child crashed.
//
//	KEYS[1] job hash
//	ARGV[1] task
//
// Returns the number of runs, or 0 when the run is stale.
var countRunScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'task') ~= ARGV[1] then return 0 end
return redis.call('HINCRBY', KEYS[1], 'runs', 1)
`)

// progressScript sets the progress of a run.
//
//	KEYS[1] job hash
//	ARGV[1] task, ARGV[2] progress as JSON, ARGV[3] id, ARGV[4] progress channel
//
// Returns 1, or 0 when the run is stale.
var progressScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'task') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'progress', ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[3] .. ' ' .. ARGV[2])
return 1
`)

// requeueScript returns a running job to its queue at a clean shutdown. The run is not counted.
//
//	KEYS[1] job hash, KEYS[2] heartbeat
//	ARGV[1] task, ARGV[2] time in ms
//
// Returns 1, or 0 when the run is stale.
var requeueScript = redis.NewScript(`
if redis.call('HGET', KEYS[1], 'task') ~= ARGV[1] then return 0 end
local job = redis.call('HMGET', KEYS[1], 'deadline', 'enqueued')
redis.call('HSET', KEYS[1], 'state', 'queued', 'moved', ARGV[2], 'deadline', string.format('%.0f', ARGV[2] + job[1] - job[2]))
redis.call('HINCRBY', KEYS[1], 'runs', -1)
redis.call('DEL', KEYS[2])
return 1
`)

// storeScript stores a result and publishes its id. The first result stored wins.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] heartbeat
//	ARGV[1] record, ARGV[2] its TTL in ms, ARGV[3] id, ARGV[4] done channel, ARGV[5] task
//
// Returns 1 when stored, 0 when a result exists, -1 when a stale run reports a failure that the
// present run may avoid.
var storeScript = redis.NewScript(`
if string.sub(ARGV[1], 1, 1) == 'f' then
  local task = redis.call('HGET', KEYS[1], 'task')
  if task and task ~= ARGV[5] then return -1 end
end
if not redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2], 'NX') then return 0 end
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.call('PUBLISH', ARGV[4], ARGV[3])
return 1
`)

// chargeScript takes a slot of a caller for a job.
//
//	KEYS[1] the caller's jobs in flight, each with the time of its latest end as score
//	ARGV[1] id, ARGV[2] maximum of jobs, ARGV[3] TTL of the entry in ms
//
// Returns 2 when a slot was free, 1 when the job already has a slot, else 0.
var chargeScript = redis.NewScript(luaNow + `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms)
local held = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not held and redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
local added = redis.call('ZADD', KEYS[1], ms + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1 + added
`)
