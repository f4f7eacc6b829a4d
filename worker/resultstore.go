package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools/schema"
)

// The stored results have a byte budget, in total and per caller, so that Redis always has memory
// for queued jobs, counters and usage. An account in Redis knows each stored result with its size,
// its caller and its end. A worker enters a result before it stores it, and drops the oldest ones
// that no longer fit. The account is in one slot of a cluster and the results are in others, so
// that entering and dropping are separate steps. Each step that a crash leaves out is made good:
// entries leave the account when their results expire, and a result that was chosen to be dropped
// is chosen again five seconds later, unless the drop was confirmed.
const (
	accountPrefix = "slipstick:{results}:"
	orderKey      = accountPrefix + "order"   // zset: id scored with its beginning [ms]
	expiresKey    = accountPrefix + "expires" // zset: id scored with when the result expires [ms]
	entriesKey    = accountPrefix + "entries" // hash: id -> "bytes awaited-until transient caller"
	sumsKey       = accountPrefix + "sums"    // hash: "total", and "c:" + caller -> bytes
	leavingKey    = accountPrefix + "leaving" // zset: id to be dropped, scored with when to retry [ms]
)

// callerResultsKey is a zset of the caller's results, scored as in orderKey. It may name results
// that have left.
func callerResultsKey(caller string) string { return accountPrefix + "caller:" + caller }

// incomingKey holds a large record until the store script puts it in its place.
func incomingKey(id string) string { return "slipstick:incoming:{" + id + "}" }

// Defaults and shares of the budgets.
const (
	defaultResultBudget = 160 << 20
	defaultCallerBudget = 32 << 20
	defaultInputBudget  = 64 << 20
	resultShare         = 0.4             // of Redis' maxmemory, for results
	inputShare          = 0.15            // of Redis' maxmemory, for the inputs of queued jobs
	callerShare         = 0.25            // of the budget for results, for one caller
	entryOverhead       = 400             // bytes that Redis needs for a result besides its record, about
	awaitedLife         = 8 * time.Second // more than a reading waits for room
	callerPatience      = 2 * time.Second
	deliveredLife       = 30 * time.Second
	droppedLife         = 2 * time.Minute // of the mark of a dropped result
	incomingLife        = time.Minute
	reliefShare         = 0.1 // of maxmemory, freed when Redis refuses a write
	leastRelief         = 1 << 20
)

// forgetLua is a function for scripts that removes an entry. It needs KEYS[1...5] as enterScript.
const forgetLua = `
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

// enterScript enters a result into the account and chooses those that are to be dropped for it.
//
//	KEYS[1] order, KEYS[2] expires, KEYS[3] entries, KEYS[4] sums, KEYS[5] leaving,
//	KEYS[6] results of the caller
//	ARGV[1] id, ARGV[2] bytes, ARGV[3] caller or "", ARGV[4] life in ms, ARGV[5] total budget,
//	ARGV[6] budget of the caller, ARGV[7] ms for which the result is awaited, ARGV[8] "1" when the
//	result exceeds the budget of its caller, ARGV[9] "wait" when there is no room beside awaited
//	results, "caller" to drop those of the same caller, "all" to drop any, "small" to enter anyway
//
// Returns {"entered", id, reason, id, reason, ...} with the results to drop, or {"wait"} when
// there is no room because callers are still reading.
var enterScript = redis.NewScript(forgetLua + `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 200)
for _, id in ipairs(expired) do forget(id) end
forget(ARGV[1])
if redis.call('HLEN', KEYS[3]) == 0 then redis.call('DEL', KEYS[4]) end
local bytes = tonumber(ARGV[2])
local answer, chosen, freed = {'entered'}, {}, 0
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[5], '-inf', now, 'LIMIT', 0, 200)) do
  answer[#answer + 1] = id
  answer[#answer + 1] = 'total'
end
local function choose(list, excess, reason, awaited)
  local offset, stale = 0, {}
  while excess > 0 do
    local ids = redis.call('ZRANGE', list, offset, offset + 99)
    if #ids == 0 then break end
    for _, id in ipairs(ids) do
      local entry = redis.call('HGET', KEYS[3], id)
      if not entry then
        stale[#stale + 1] = id
      elseif excess > 0 and not chosen[id] then
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
  answer[#answer + 1] = id
  answer[#answer + 1] = reason
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
return answer
`)

// forgetScript removes results from the account that are no longer stored.
//
//	KEYS[1...5] as enterScript; ARGV ids
var forgetScript = redis.NewScript(forgetLua + `
for _, id in ipairs(ARGV) do forget(id) end
return 1
`)

// deliveredScript notes that a result was read: it may be dropped from then on. One that exceeds
// the budget of its caller goes first, and in any case soon.
//
//	KEYS[1] order, KEYS[2] expires, KEYS[3] entries
//	ARGV[1] id, ARGV[2] ms that a result over the budget of its caller is kept after delivery
//
// Returns 1 for a result over the budget of its caller that is delivered for the first time,
// else 0.
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

// dropScript drops a stored result. A large one leaves a mark, so that whoever asks for it learns
// the reason.
//
//	KEYS[1] result; ARGV[1] reason, ARGV[2] life of the mark in ms
//
// Returns 1 when there was a result.
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

// storeLarge puts a large record that was sent ahead in its place and tells everybody.
//
//	KEYS[1] job hash, KEYS[2] result, KEYS[3] waiters, KEYS[4] beat, KEYS[5] the record sent ahead
//	ARGV[1] life of the record in ms, ARGV[2] id, ARGV[3] done channel
//
// Returns 1 when stored, 0 when there was a result already, -1 when the record sent ahead is gone.
var storeLarge = redis.NewScript(`
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

// Budgets bound the bytes in Redis. Zero is the default; a share of Redis' maxmemory bounds each
// further where Redis has one.
type Budgets struct {
	Results          int64 // stored results; 160 MiB, and at most 40 % of maxmemory
	ResultsPerCaller int64 // of one caller; 32 MiB, and at most a quarter of the above
	Inputs           int64 // inputs of unfinished jobs; 64 MiB, and at most 15 % of maxmemory
}

func (b Budgets) withDefaults() Budgets {
	orDefault(&b.Results, defaultResultBudget)
	orDefault(&b.ResultsPerCaller, defaultCallerBudget)
	orDefault(&b.Inputs, defaultInputBudget)
	return b
}

// resultStore keeps the account of stored results, and Redis able to write. Client and Server have
// one each.
type resultStore struct {
	rdb     redis.UniversalClient
	budgets Budgets
	log     *slog.Logger
	metrics storeMetrics

	maxMemory atomic.Int64 // of Redis [bytes]; 0: unknown or unbounded
	relieving sync.Mutex
	relieved  time.Time
}

var accountKeys = []string{orderKey, expiresKey, entriesKey, sumsKey, leavingKey}

// limits are the budgets in force.
func (s *resultStore) limits() Budgets {
	b := s.budgets
	if most := float64(s.maxMemory.Load()); most > 0 {
		b.Results = min(b.Results, int64(resultShare*most))
		b.Inputs = min(b.Inputs, int64(inputShare*most))
	}
	b.ResultsPerCaller = min(b.ResultsPerCaller, int64(callerShare*float64(b.Results)))
	return b
}

// errNoRoom says that a result does not fit because callers still read those that are stored.
var errNoRoom = errors.New("there is no room for a result until others have been read")

// Ways of entering a result when there is no room beside those that callers await.
const (
	enterWait   = "wait"   // errNoRoom
	enterCaller = "caller" // drop those of the same caller
	enterAll    = "all"    // drop any
	enterSmall  = "small"  // exceed the budget: small results do not wait for large ones
)

// entering is how a result is entered that has been waiting for room for some time.
func entering(large bool, waited time.Duration) string {
	switch {
	case !large:
		return enterSmall
	case waited < callerPatience:
		return enterWait
	case waited < awaitedLife:
		return enterCaller
	}
	return enterAll
}

// enter enters a result into the account and drops those that no longer fit. Awaited is a result
// whose callers are connected and have not read it.
func (s *resultStore) enter(ctx context.Context, id, caller string, record int, life time.Duration,
	awaited bool, how string,
) error {
	b := s.limits()
	size := int64(record + entryOverhead)
	wanted, transient := int64(0), 0
	if awaited {
		wanted = awaitedLife.Milliseconds()
	}
	if caller != "" && size > b.ResultsPerCaller {
		transient = 1
	}
	keys := append(accountKeys[:len(accountKeys):len(accountKeys)], callerResultsKey(caller))
	answer, err := enterScript.Run(ctx, s.rdb, keys,
		id, size, caller, life.Milliseconds(), b.Results, b.ResultsPerCaller, wanted, transient, how).StringSlice()
	if err != nil {
		return err
	}
	if answer[0] == "wait" {
		return errNoRoom
	}
	for i := 1; i+1 < len(answer); i += 2 {
		s.drop(ctx, answer[i], DropReason(answer[i+1]))
	}
	return nil
}

// drop drops a result that enterScript chose. Without the confirmation it is chosen again.
func (s *resultStore) drop(ctx context.Context, id string, reason DropReason) {
	dropped, err := dropScript.Run(ctx, s.rdb, []string{resultKey(id)},
		string(reason), droppedLife.Milliseconds()).Int()
	if isFull(err) { // there is no room for the mark
		dropped, err = 1, s.rdb.Del(ctx, resultKey(id)).Err()
	}
	if err == nil {
		err = s.rdb.ZRem(ctx, leavingKey, id).Err()
	}
	if err != nil {
		s.log.Warn("a result could not be dropped; it is tried again", "job", id, "error", err)
		return
	}
	if dropped == 1 {
		s.metrics.evicted(reason)
	}
}

// forget removes results from the account that are not stored.
func (s *resultStore) forget(ctx context.Context, ids ...string) error {
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return forgetScript.Run(ctx, s.rdb, accountKeys, args...).Err()
}

// delivered notes that a large result was read.
func (s *resultStore) delivered(ctx context.Context, id string) {
	over, err := deliveredScript.Run(ctx, s.rdb, accountKeys[:3],
		id, deliveredLife.Milliseconds()).Int()
	if err == nil && over == 1 {
		s.metrics.evicted(DroppedRead)
		err = s.rdb.PExpire(ctx, resultKey(id), deliveredLife).Err()
	}
	if err != nil {
		s.log.Debug("a delivery was not noted", "job", id, "error", err)
	}
}

// isFull reports whether Redis refused a write because it has no memory left.
func isFull(err error) bool {
	return err != nil && strings.Contains(err.Error(), "OOM command not allowed")
}

// relieve frees memory of a Redis that refuses writes: the oldest results go. Only commands that
// such a Redis takes come before the deletion. A write that began before others made room is to be
// tried again first.
func (s *resultStore) relieve(ctx context.Context, writeBegan time.Time) {
	s.relieving.Lock()
	defer s.relieving.Unlock()
	if s.relieved.After(writeBegan) {
		return
	}
	defer func() { s.relieved = time.Now() }()
	need := max(leastRelief, int64(reliefShare*float64(s.maxMemory.Load())))
	stored, err := s.oldest(ctx, 1000)
	if err != nil {
		s.log.Warn("Redis has no memory left, and the stored results cannot be listed", "error", err)
		return
	}
	var dropped []string
	freed := int64(0)
	for _, r := range stored {
		if freed >= need {
			break
		}
		if err := s.rdb.Del(ctx, resultKey(r.id)).Err(); err != nil {
			s.log.Warn("Redis has no memory left, and a result could not be dropped", "job", r.id, "error", err)
			break
		}
		freed += r.bytes
		dropped = append(dropped, r.id)
		s.metrics.evicted(DroppedForMemory)
	}
	if len(dropped) > 0 {
		if err := s.forget(ctx, dropped...); err != nil {
			s.log.Warn("the account of results is behind until they would have expired", "error", err)
		}
	}
	s.log.Warn("Redis has no memory left; the oldest results were dropped",
		"results", len(dropped), "bytes", freed)
}

// accounted is a result in the account.
type accounted struct {
	id    string
	bytes int64
}

// oldest lists stored results, the oldest first, and those that callers await after the others.
func (s *resultStore) oldest(ctx context.Context, most int64) (list []accounted, err error) {
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

// AccountState is what the account of stored results says.
type AccountState struct {
	Results int64 // number of stored results
	Bytes   int64 // what they need in Redis
	Budgets Budgets
}

func (s *resultStore) state(ctx context.Context) (st AccountState, err error) {
	st.Budgets = s.limits()
	if st.Results, err = s.rdb.HLen(ctx, entriesKey).Result(); err != nil {
		return st, err
	}
	st.Bytes, err = s.rdb.HGet(ctx, sumsKey, "total").Int64()
	if errors.Is(err, redis.Nil) {
		err = nil
	}
	return st, err
}

// storeResult stores the record of a job's end and tells everybody. It returns 0 when there was a
// result already, and -1 when a stale run reports a failure that the present run may yet avoid.
func (s *Server) storeResult(
	ctx context.Context, r *run, record []byte, waited time.Duration,
) (stored int, err error) {
	keys := []string{metaKey(r.id), resultKey(r.id), waitersKey(r.id), heartbeatKey(r.id)}
	ttl := s.opt.ResultTTL.Milliseconds()
	began := time.Now()
	defer func() {
		if isFull(err) {
			s.store.relieve(ctx, began)
		}
	}()
	// A result that stands is in the account: this run's must not replace its entry.
	if n, err := s.rdb.Exists(ctx, resultKey(r.id)).Result(); err != nil || n == 1 {
		return 0, err
	}
	awaited := false
	if isLarge(record) {
		if awaited, err = s.awaited(ctx, r.id); err != nil {
			return 0, err
		}
	}
	how := entering(isLarge(record), waited)
	err = s.store.enter(ctx, r.id, r.fields["caller"], len(record), s.opt.ResultTTL, awaited, how)
	if err != nil {
		return 0, err
	}
	if !isLarge(record) {
		return storeScript.Run(ctx, s.rdb, keys, record, ttl, r.id, doneChannel, r.task).Int()
	}
	// Sent ahead by a plain command: a script's arguments are copied, and Redis counts the copies.
	if err := s.rdb.Set(ctx, incomingKey(r.id), record, incomingLife).Err(); err != nil {
		return 0, err
	}
	keys = append(keys, incomingKey(r.id))
	stored, err = storeLarge.Run(ctx, s.rdb, keys, ttl, r.id, doneChannel).Int()
	if err == nil && stored < 0 {
		return 0, errors.New("the record that was sent ahead has gone")
	}
	return stored, err
}

// awaited reports whether a caller is connected and waits for a job. Whoever asked to keep it comes
// back later.
func (s *Server) awaited(ctx context.Context, id string) (bool, error) {
	var waiters *redis.IntCmd
	var keep *redis.StringCmd
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		now := strconv.FormatInt(s.opt.Now().UnixMilli(), 10)
		waiters = pipe.ZCount(ctx, waitersKey(id), now, "+inf")
		keep = pipe.HGet(ctx, metaKey(id), "keep")
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, err
	}
	return waiters.Val() > 0 && keep.Val() != "1", nil
}

// tooLarge refuses a result that would not fit if it were the only one.
func tooLarge(record int, most int64) Outcome {
	return Outcome{FieldErrors: []schema.FieldError{{Detail: fmt.Sprintf(
		"the result has %.1f MB when it is compressed, more than the %.1f MB that all stored results "+
			"may have; ask for fewer points or outputs",
		float64(record)/1e6, float64(most)/1e6)}}}
}
