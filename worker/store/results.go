package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

// Stored results have a byte budget, in total and per caller. Redis therefore always has memory for
// queued jobs, counters and usage. An account in Redis contains the size, caller and expiry of each
// stored result. A worker enters a result in the account before it stores it, and evicts the oldest
// results that no longer fit.
//
// The account and the results are in different cluster slots, so entering and evicting are separate
// steps. Steps that a crash skips are repeated. Entries leave the account when their results
// expire. A result that was selected for eviction is selected again five seconds later unless the
// eviction was confirmed. The field transient of an entry is 1 for a result that exceeds the budget
// of its caller, and 2 after its delivery.
const (
	accountPrefix = "slipstick:{results}:"
	orderKey      = accountPrefix + "order"   // zset: id, scored by the time of storing [ms]
	expiresKey    = accountPrefix + "expires" // zset: id, scored by the expiry of the result [ms]
	entriesKey    = accountPrefix + "entries" // hash: id -> "bytes awaited-until transient caller"
	sumsKey       = accountPrefix + "sums"    // hash: "total" -> bytes, "c:" + caller -> bytes
	leavingKey    = accountPrefix + "leaving" // zset: id to evict, scored by retry time [ms]
)

// callerResultsKey returns the key of a zset of the caller's results, scored as in orderKey. The
// zset may contain results that are no longer stored.
func callerResultsKey(caller string) string { return accountPrefix + "caller:" + caller }

// incomingKey returns the key of a large record until storeLargeScript moves it.
func incomingKey(id string) string { return "slipstick:incoming:{" + id + "}" }

// Defaults and shares of the budgets. EntryOverhead is the approximate number of bytes that Redis
// needs per result in addition to its record.
const (
	defaultResultBudget = 160 << 20
	defaultCallerBudget = 32 << 20
	defaultInputBudget  = 64 << 20
	resultShare         = 0.4  // share of Redis maxmemory for results
	inputShare          = 0.15 // share of Redis maxmemory for the inputs of queued jobs
	callerShare         = 0.25 // share of the result budget for one caller
	EntryOverhead       = 400
	awaitedTTL          = 8 * time.Second // must exceed readPatience
	callerPatience      = 2 * time.Second
	deliveredTTL        = 30 * time.Second
	markTTL             = 2 * time.Minute // TTL of the mark of an evicted result
	incomingTTL         = time.Minute
	reliefShare         = 0.1 // share of maxmemory freed when Redis rejects a write
	minRelief           = 1 << 20
)

// luaForget defines forget(id), which removes an entry from the account. It uses KEYS[1...5] of
// enterScript.
const luaForget = `
local function forget(id)
  local entry = redis.call('HGET', KEYS[3], id)
  redis.call('ZREM', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
  redis.call('ZREM', KEYS[5], id)
  if not entry then return end
  local bytes, caller = string.match(entry, '^(%d+) %d+ %d (.*)$')
  redis.call('HDEL', KEYS[3], id)
  if redis.call('HINCRBY', KEYS[4], 'total', -bytes) < 0 then
    redis.call('HSET', KEYS[4], 'total', 0)
  end
  if caller ~= '' and redis.call('HINCRBY', KEYS[4], 'c:' .. caller, -bytes) <= 0 then
    redis.call('HDEL', KEYS[4], 'c:' .. caller)
  end
end
`

// enterScript enters a result in the account and selects the results that it evicts.
//
//	KEYS[1] order, KEYS[2] expires, KEYS[3] entries, KEYS[4] sums, KEYS[5] leaving,
//	KEYS[6] results of the caller
//	ARGV[1] id, ARGV[2] bytes, ARGV[3] caller or "", ARGV[4] TTL in ms, ARGV[5] total budget,
//	ARGV[6] budget of the caller, ARGV[7] ms for which the result is awaited, ARGV[8] 1 when the
//	result exceeds the budget of its caller, else 0, ARGV[9] action when awaited results leave no
//	room: "wait"; "caller", evict those of the same caller; "all", evict any; "small", exceed the
//	budget
//
// Returns {"entered", id, reason, id, reason, ...} with the results to evict, or {"wait"} when
// callers are still reading the results that fill the budget.
var enterScript = redis.NewScript(luaForget + `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 200)
for _, id in ipairs(expired) do forget(id) end
forget(ARGV[1])
if redis.call('HLEN', KEYS[3]) == 0 then redis.call('DEL', KEYS[4]) end
local bytes = tonumber(ARGV[2])
local reply, chosen, freed = {'entered'}, {}, 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now, 'LIMIT', 0, 200)) do
  reply[#reply + 1] = id
  reply[#reply + 1] = 'total'
end
local function choose(list, excess, reason, awaited)
  local offset, stale = 0, {}
  while excess > 0 do
    local ids = redis.call('ZRANGE', list, offset, offset + 99)
    if #ids == 0 then break end
    for _, id in ipairs(ids) do
      if excess <= 0 then break end
      local entry = redis.call('HGET', KEYS[3], id)
      if not entry then
        stale[#stale + 1] = id
      elseif not chosen[id] then
        local size, wanted = string.match(entry, '^(%d+) (%d+) ')
        if awaited or tonumber(wanted) <= now then
          chosen[id] = reason
          freed = freed + size
          excess = excess - size
        end
      end
    end
    offset = offset + #ids
  end
  for _, id in ipairs(stale) do redis.call('ZREM', list, id) end
  return excess
end
if ARGV[3] ~= '' then
  local stored = tonumber(redis.call('HGET', KEYS[4], 'c:' .. ARGV[3]) or 0)
  local excess = choose(KEYS[6], stored + bytes - ARGV[6], 'caller', false)
  if excess > 0 and stored > freed and ARGV[9] ~= 'small' then
    if ARGV[9] == 'wait' then return {'wait'} end
    choose(KEYS[6], excess, 'caller', true)
  end
end
local total = tonumber(redis.call('HGET', KEYS[4], 'total') or 0)
local excess = total - freed + bytes - ARGV[5]
if excess > 0 then
  excess = choose(KEYS[1], excess, 'total', false)
  if excess > 0 and total > freed and ARGV[9] ~= 'small' then
    if ARGV[9] ~= 'all' then return {'wait'} end
    choose(KEYS[1], excess, 'total', true)
  end
end
for id, reason in pairs(chosen) do
  forget(id)
  redis.call('ZADD', KEYS[5], now + 5000, id)
  reply[#reply + 1] = id
  reply[#reply + 1] = reason
end
local awaited = 0
if ARGV[7] ~= '0' then awaited = now + ARGV[7] end
local entry = string.format('%.0f %.0f %s %s', bytes, awaited, ARGV[8], ARGV[3])
redis.call('HSET', KEYS[3], ARGV[1], entry)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[1])
redis.call('HINCRBY', KEYS[4], 'total', bytes)
if ARGV[3] ~= '' then
  redis.call('HINCRBY', KEYS[4], 'c:' .. ARGV[3], bytes)
  redis.call('ZADD', KEYS[6], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[6], ARGV[4] + 60000)
end
return reply
`)

// forgetScript removes results that are not stored from the account.
//
//	KEYS[1...5] of enterScript; ARGV ids
var forgetScript = redis.NewScript(luaForget + `
for _, id in ipairs(ARGV) do forget(id) end
return 1
`)

// deliveredScript marks a result as read, which allows its eviction. A result above the budget of
// its caller is evicted first, and expires soon.
//
//	KEYS[1] order, KEYS[2] expires, KEYS[3] entries
//	ARGV[1] id, ARGV[2] TTL in ms of a result above the budget of its caller
//
// Returns 1 for a result above the budget of its caller at its first delivery, else 0.
var deliveredScript = redis.NewScript(`
local entry = redis.call('HGET', KEYS[3], ARGV[1])
if not entry then return 0 end
local bytes, awaited, transient, caller = string.match(entry, '^(%d+) (%d+) (%d) (.*)$')
if awaited == '0' and transient ~= '1' then return 0 end
if transient == '2' then return 0 end
if transient == '1' then
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[2], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[2], ARGV[1])
  redis.call('ZADD', KEYS[1], 0, ARGV[1])
  redis.call('HSET', KEYS[3], ARGV[1], bytes .. ' 0 2 ' .. caller)
  return 1
end
redis.call('HSET', KEYS[3], ARGV[1], bytes .. ' 0 0 ' .. caller)
return 0
`)

// dropScript evicts a stored result. For a large result it leaves a mark with the reason.
//
//	KEYS[1] result; ARGV[1] reason, ARGV[2] TTL of the mark in ms
//
// Returns 1 if the result existed, else 0.
var dropScript = redis.NewScript(`
local state = redis.call('GETRANGE', KEYS[1], 0, 0)
if state == '' or state == 'x' then return 0 end
if state ~= 'D' and state ~= 'E' then return redis.call('DEL', KEYS[1]) end
local left = redis.call('PTTL', KEYS[1])
redis.call('DEL', KEYS[1])
left = math.min(left, tonumber(ARGV[2]))
if left > 0 then redis.call('SET', KEYS[1], 'x' .. ARGV[1], 'PX', left) end
return 1
`)

// storeLargeScript moves a large record to its key and publishes its id.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] heartbeat, KEYS[5] incoming record
//	ARGV[1] TTL of the record in ms, ARGV[2] id, ARGV[3] done channel
//
// Returns 1 when stored, 0 when a result exists, -1 when the incoming record has expired.
var storeLargeScript = redis.NewScript(`
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('DEL', KEYS[5])
  return 0
end
if redis.call('EXISTS', KEYS[5]) == 0 then return -1 end
redis.call('RENAME', KEYS[5], KEYS[2])
redis.call('PEXPIRE', KEYS[2], ARGV[1])
redis.call('DEL', KEYS[1], KEYS[3], KEYS[4])
redis.call('PUBLISH', ARGV[3], ARGV[2])
return 1
`)

// Budgets limits the bytes in Redis. Zero selects the default. If Redis has a maxmemory, a share of
// it limits each budget further.
type Budgets struct {
	Results          int64 // stored results; default 160 MiB, at most 40 % of maxmemory
	ResultsPerCaller int64 // results of one caller; default 32 MiB, at most a quarter of Results
	Inputs           int64 // inputs of unfinished jobs; default 64 MiB, at most 15 % of maxmemory
}

func (b Budgets) withDefaults() Budgets {
	orDefault(&b.Results, defaultResultBudget)
	orDefault(&b.ResultsPerCaller, defaultCallerBudget)
	orDefault(&b.Inputs, defaultInputBudget)
	return b
}

// accountKeys are KEYS[1...5] of the scripts that modify the account.
var accountKeys = []string{orderKey, expiresKey, entriesKey, sumsKey, leavingKey}

// limits returns the budgets in force.
func (s *Store) limits() Budgets {
	b := s.opt.Budgets
	if most := float64(s.maxMemory.Load()); most > 0 {
		b.Results = min(b.Results, int64(resultShare*most))
		b.Inputs = min(b.Inputs, int64(inputShare*most))
	}
	b.ResultsPerCaller = min(b.ResultsPerCaller, int64(callerShare*float64(b.Results)))
	return b
}

// errNoRoom is returned for a result that does not fit while callers read the stored results.
var errNoRoom = errors.New("there is no room for a result until others have been read")

// Modes of entering a result while awaited results leave no room.
const (
	enterWait   = "wait"   // return errNoRoom
	enterCaller = "caller" // evict results of the same caller
	enterAll    = "all"    // evict results of any caller
	enterSmall  = "small"  // exceed the budget, so small results do not wait for large ones
)

// modeAfter returns the mode for a result that has waited for room for the given time.
func modeAfter(large bool, waited time.Duration) string {
	switch {
	case !large:
		return enterSmall
	case waited < callerPatience:
		return enterWait
	case waited < awaitedTTL:
		return enterCaller
	}
	return enterAll
}

// enter enters a result in the account and evicts the oldest results beyond the budgets. A result
// is awaited while its callers are connected and have not read it. If awaited results leave no
// room, enter returns errNoRoom or proceeds as mode specifies.
func (s *Store) enter(
	ctx context.Context, id, caller string, record int, ttl time.Duration, awaited bool,
	mode string,
) error {
	b := s.limits()
	size := int64(record + EntryOverhead)
	wanted, transient := int64(0), 0
	if awaited {
		wanted = awaitedTTL.Milliseconds()
	}
	if caller != "" && size > b.ResultsPerCaller {
		transient = 1
	}
	keys := append(accountKeys[:len(accountKeys):len(accountKeys)], callerResultsKey(caller))
	reply, err := enterScript.Run(ctx, s.rdb, keys,
		id, size, caller, ttl.Milliseconds(), b.Results, b.ResultsPerCaller, wanted, transient,
		mode).StringSlice()
	if err != nil {
		return err
	}
	if reply[0] == "wait" {
		return errNoRoom
	}
	for i := 1; i+1 < len(reply); i += 2 {
		s.drop(ctx, reply[i], DropReason(reply[i+1]))
	}
	return nil
}

// drop evicts a result that enterScript selected. If the eviction is not confirmed, the result is
// selected again.
func (s *Store) drop(ctx context.Context, id string, reason DropReason) {
	dropped, err := dropScript.Run(ctx, s.rdb, []string{ResultKey(id)},
		string(reason), markTTL.Milliseconds()).Int()
	if isFull(err) { // Redis has no memory for the mark
		dropped, err = 1, s.rdb.Del(ctx, ResultKey(id)).Err()
	}
	if err == nil {
		err = s.rdb.ZRem(ctx, leavingKey, id).Err()
	}
	if err != nil {
		s.log.Warn("a result could not be evicted; this is tried again", "job", id, "error", err)
		return
	}
	if dropped == 1 {
		s.metrics.evicted(reason)
	}
}

// forget removes results that are not stored from the account.
func (s *Store) forget(ctx context.Context, ids ...string) error {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return forgetScript.Run(ctx, s.rdb, accountKeys, args...).Err()
}

// delivered marks a large result as read.
func (s *Store) delivered(ctx context.Context, id string) {
	over, err := deliveredScript.Run(ctx, s.rdb, accountKeys[:3],
		id, deliveredTTL.Milliseconds()).Int()
	if err == nil && over == 1 {
		s.metrics.evicted(DroppedRead)
		err = s.rdb.PExpire(ctx, ResultKey(id), deliveredTTL).Err()
	}
	if err != nil {
		s.log.Debug("a delivery could not be marked", "job", id, "error", err)
	}
}

// Relieve evicts the oldest results when Redis rejects writes. It uses only commands that Redis
// accepts in this state. It does nothing if another call has freed memory since writeBegan, because
// the write should then be retried first.
func (s *Store) Relieve(ctx context.Context, writeBegan time.Time) {
	s.relieving.Lock()
	defer s.relieving.Unlock()
	if s.relieved.After(writeBegan) {
		return
	}
	defer func() { s.relieved = time.Now() }()
	need := max(minRelief, int64(reliefShare*float64(s.maxMemory.Load())))
	stored, err := s.oldest(ctx, 1000)
	if err != nil {
		s.log.Warn("Redis has no memory left, and the stored results cannot be listed",
			"error", err)
		return
	}
	var dropped []string
	freed := int64(0)
	for _, r := range stored {
		if freed >= need {
			break
		}
		if err := s.rdb.Del(ctx, ResultKey(r.id)).Err(); err != nil {
			s.log.Warn("Redis has no memory left, and a result could not be evicted",
				"job", r.id, "error", err)
			break
		}
		freed += r.bytes
		dropped = append(dropped, r.id)
		s.metrics.evicted(DroppedForMemory)
	}
	if len(dropped) > 0 {
		if err := s.forget(ctx, dropped...); err != nil {
			s.log.Warn("evicted results remain in the account until they expire", "error", err)
		}
	}
	if len(stored) == 0 {
		s.log.Warn("Redis has no memory left, and there is no result to evict: other data fills it")
		return
	}
	s.log.Warn("Redis has no memory left; the oldest results were evicted",
		"results", len(dropped), "bytes", freed)
}

// accounted is a stored result and its size, as entered in the account.
type accounted struct {
	id    string
	bytes int64
}

// oldest lists stored results, oldest first, at most the given number; awaited results follow the
// others.
func (s *Store) oldest(ctx context.Context, most int64) (list []accounted, err error) {
	ids, err := s.rdb.ZRange(ctx, orderKey, 0, most-1).Result()
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	entries, err := s.rdb.HMGet(ctx, entriesKey, ids...).Result()
	if err != nil {
		return nil, err
	}
	var awaited []accounted
	now := time.Now().UnixMilli()
	for i, id := range ids {
		var bytes, until int64
		if n, _ := fmt.Sscan(text(entries, i), &bytes, &until); n == 2 && until > now {
			awaited = append(awaited, accounted{id, bytes})
			continue
		}
		list = append(list, accounted{id, bytes})
	}
	return append(list, awaited...), nil
}

// ResultTotals holds the totals of the account of stored results.
type ResultTotals struct {
	Results int64 // number of stored results
	Bytes   int64 // bytes of records and account entries in Redis
	Budgets Budgets
}

// ResultTotals returns the totals of the account of stored results.
func (s *Store) ResultTotals(ctx context.Context) (st ResultTotals, err error) {
	st.Budgets = s.limits()
	if st.Results, err = s.rdb.HLen(ctx, entriesKey).Result(); err != nil {
		return st, err
	}
	st.Bytes, err = s.rdb.HGet(ctx, sumsKey, "total").Int64()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return st, unavailable(err)
}
