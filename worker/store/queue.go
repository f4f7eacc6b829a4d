package store

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// asynq serves each of its queues first in, first out. For round-robin scheduling by caller, its
// tasks are permits, as of a counting semaphore: one per pending job, without a job id. A worker
// that receives a permit dequeues the first job of the caller whose turn it is. All keys of a queue
// share a hash tag, so scripts work in a cluster.

// Time constants and limits of the fair queue.
const (
	// turnMemory is the time for which a served caller ranks behind newly arriving callers. It
	// exceeds the run time of any job, so the next free slot goes to a caller that has had none. It
	// is bounded, so a stream of new callers cannot starve the others.
	turnMemory = 5 * time.Minute
	// takenGrace is the maximum time between dequeuing a job and beginning it.
	takenGrace = 3 * time.Second
	// takenTTL is the time after its last heartbeat at which the worker of a dequeued job counts as
	// dead.
	takenTTL = HeartbeatTTL + HeartbeatEvery
	// permitTimeout is the asynq timeout of a permit. It must exceed the time of any run, because
	// asynq gives an expired permit to another worker.
	permitTimeout = time.Hour
	// maxRevived is the maximum number of jobs that one audit of a queue revives.
	maxRevived = 20
	// maxActive is the maximum number of permits in workers that Active reads per queue.
	maxActive = 100_000
)

// Types of asynq tasks. A LegacyTask contains the id of its job, as enqueued by versions without
// permits. The name of a permit in Redis is older than that term.
const (
	permitTask = "slipstick:ticket"
	LegacyTask = "slipstick:run"
)

// PendingKey returns the key of the set of a queue's pending tasks.
func PendingKey(queue string) string { return "slipstick:pending:{" + queue + "}" }

func turnsKey(queue string) string    { return "slipstick:turns:{" + queue + "}" }
func servedKey(queue string) string   { return "slipstick:served:{" + queue + "}" }
func takenKey(queue string) string    { return "slipstick:taken:{" + queue + "}" }
func auditKey(queue string) string    { return "slipstick:audit:{" + queue + "}" }
func shortageKey(queue string) string { return "slipstick:shortage:{" + queue + "}" }

// asynqQueuesKey is the key of asynq's set of queues.
const asynqQueuesKey = "asynq:queues"

// callerJobsKey returns the key of the list of a caller's pending tasks. Scripts append callers to
// the prefix.
func callerJobsKey(queue, caller string) string { return PendingKey(queue) + ":" + caller }

// luaNow defines ms, the Redis time in milliseconds. It also defines us(ahead), the Redis time in
// microseconds plus an offset, ahead, in milliseconds. us formats the number because Lua prints
// only 14 digits by default.
const luaNow = `
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local function us(ahead)
  return string.format('%.0f', time[1] * 1000000 + time[2] + ahead * 1000)
end
`

// enqueueScript appends a job to its caller's list, and enters the caller in the rotation.
//
//	KEYS[1] pending jobs, KEYS[2] turns, KEYS[3] served, KEYS[4] the caller's list
//	ARGV[1] task, ARGV[2] caller, ARGV[3] time of queuing [ms],
//	ARGV[4] minimum TTL of the keys [ms], ARGV[5] "last"; "first", before
//	the caller's other jobs; or "join", which enters a pending job in this caller's list too
//
// Returns 1, or 0 if the job to join is not pending or is already in the list.
var enqueueScript = redis.NewScript(luaNow + `
local function extend(key)
  if redis.call('PTTL', key) < tonumber(ARGV[4]) then redis.call('PEXPIRE', key, ARGV[4]) end
end
if ARGV[5] == 'join' then
  if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
  for _, task in ipairs(redis.call('LRANGE', KEYS[4], 0, -1)) do
    if task == ARGV[1] then return 0 end
  end
else
  redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
  extend(KEYS[1])
end
redis.call(ARGV[5] == 'first' and 'LPUSH' or 'RPUSH', KEYS[4], ARGV[1])
extend(KEYS[4])
if not redis.call('ZSCORE', KEYS[2], ARGV[2]) then
  local turn = us(0)
  local served = redis.call('ZSCORE', KEYS[3], ARGV[2])
  if served and tonumber(served) > tonumber(turn) then turn = served end
  redis.call('ZADD', KEYS[2], turn, ARGV[2])
end
extend(KEYS[2])
return 1
`)

// dequeueScript takes the first job of the caller whose turn it is. The lists may contain jobs that
// are no longer pending; the set of pending jobs decides.
//
//	KEYS[1] pending jobs, KEYS[2] turns, KEYS[3] served, KEYS[4] taken
//	ARGV[1] prefix of the callers' lists, ARGV[2] turnMemory in ms, ARGV[3] TTL of taken in ms
//
// Returns the task, or "" when no job is pending.
var dequeueScript = redis.NewScript(luaNow + `
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', us(0))
while true do
  local caller = redis.call('ZRANGE', KEYS[2], 0, 0)[1]
  if not caller then return '' end
  local task = redis.call('LPOP', ARGV[1] .. caller)
  local more = redis.call('EXISTS', ARGV[1] .. caller) == 1
  if not more then redis.call('ZREM', KEYS[2], caller) end
  if task and redis.call('ZREM', KEYS[1], task) == 1 then
    local turn = us(tonumber(ARGV[2]))
    if more then redis.call('ZADD', KEYS[2], turn, caller) end
    redis.call('ZADD', KEYS[3], turn, caller)
    redis.call('PEXPIRE', KEYS[3], ARGV[2])
    redis.call('ZADD', KEYS[4], ms, task)
    redis.call('PEXPIRE', KEYS[4], ARGV[3])
    return task
  end
end
`)

// removeScript removes a job from its queue.
//
//	KEYS[1] pending jobs, KEYS[2] turns, KEYS[3] the caller's list
//	ARGV[1] task, ARGV[2] caller
//
// Returns 1 when it was pending, else 0.
var removeScript = redis.NewScript(`
redis.call('LREM', KEYS[3], 0, ARGV[1])
if redis.call('EXISTS', KEYS[3]) == 0 then redis.call('ZREM', KEYS[2], ARGV[2]) end
return redis.call('ZREM', KEYS[1], ARGV[1])
`)

// lostScript reports whether a queued job is missing from its queue. This happens if Redis lost the
// queue or if the submitting process died before it enqueued the job. It also happens if the worker
// that dequeued the job died before beginning it.
//
//	KEYS[1] pending jobs, KEYS[2] taken
//	ARGV[1] task, ARGV[2] takenGrace in ms
//
// Returns 1 or 0.
var lostScript = redis.NewScript(luaNow + `
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
local taken = redis.call('ZSCORE', KEYS[2], ARGV[1])
if taken and ms - taken < tonumber(ARGV[2]) then return 0 end
return 1
`)

// holdScript renews a worker's holds on the tasks that it has dequeued.
//
//	KEYS[1] taken
//	ARGV[1] TTL of taken in ms, ARGV[2...] tasks
var holdScript = redis.NewScript(luaNow + `
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ms, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`)

// auditScript compares permits with pending jobs, and finds the jobs of dead workers. A permit is
// missing if a process died between enqueuing a job and its permit. It is also missing if a worker
// died between receiving a permit and dequeuing the job. It is also missing between these two steps
// of a living process, so it counts as missing only after two consecutive audits.
//
//	KEYS[1] pending jobs, KEYS[2] taken, KEYS[3] audit, KEYS[4] shortage, KEYS[5] asynq's
//	pending list, KEYS[6] asynq's retry set
//	ARGV[1] minimum interval of audits in ms, ARGV[2] takenTTL in ms, ARGV[3] maximum of tasks
//
// Returns the number of permits to add, followed by the tasks of dead workers. It returns nothing
// within ARGV[1] of another worker's audit. Tasks that are not removed are returned again later.
var auditScript = redis.NewScript(luaNow + `
if not redis.call('SET', KEYS[3], '1', 'PX', ARGV[1], 'NX') then return {} end
local permits = redis.call('LLEN', KEYS[5]) + redis.call('ZCARD', KEYS[6])
local missing = redis.call('ZCARD', KEYS[1]) - permits
local before = tonumber(redis.call('GET', KEYS[4]) or '0')
redis.call('SET', KEYS[4], missing, 'PX', 4 * ARGV[1])
local add = math.max(0, math.min(missing, before))
if add > 0 then redis.call('SET', KEYS[4], missing - add, 'PX', 4 * ARGV[1]) end
local reply = {tostring(add)}
local silent = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ms - ARGV[2], 'LIMIT', 0, ARGV[3])
for _, task in ipairs(silent) do
  redis.call('ZADD', KEYS[2], ms, task)
  reply[#reply + 1] = task
end
return reply
`)

// listPosition is a position in a caller's list.
type listPosition string

// Positions that enqueueScript accepts.
const (
	positionLast  listPosition = "last"
	positionFirst listPosition = "first"
	positionJoin  listPosition = "join"
)

// put puts a job into its queue without adding a permit.
func (s *Store) put(ctx context.Context, v InFlightJob, caller string, at listPosition) error {
	queue := QueueName(v.Pool, v.Priority)
	ttl := max(v.Deadline.Sub(s.now()), 0) + jobTTLSlack
	keys := []string{
		PendingKey(queue), turnsKey(queue), servedKey(queue), callerJobsKey(queue, caller),
	}
	return enqueueScript.Run(ctx, s.rdb, keys,
		v.Task, caller, s.now().UnixMilli(), ttl.Milliseconds(), string(at)).Err()
}

// Enqueue puts a job into its queue behind its caller's other jobs and adds a permit.
func (s *Store) Enqueue(ctx context.Context, v InFlightJob) error {
	return unavailable(s.enqueue(ctx, v, positionLast))
}

func (s *Store) enqueue(ctx context.Context, v InFlightJob, at listPosition) error {
	if err := s.put(ctx, v, v.Group, at); err != nil {
		return err
	}
	return s.addPermit(ctx, v.Pool, v.Priority)
}

// PutBack returns a dequeued job to its queue. It adds no permit because asynq delivers the permit
// again.
func (s *Store) PutBack(ctx context.Context, v InFlightJob) error {
	return unavailable(s.put(ctx, v, v.Group, positionLast))
}

// JoinTurn enters a pending job in the list of another group, whose turn may come first.
func (s *Store) JoinTurn(ctx context.Context, v InFlightJob, group string) error {
	return unavailable(s.put(ctx, v, group, positionJoin))
}

// addPermit adds a permit, which allows a worker to dequeue a job.
func (s *Store) addPermit(ctx context.Context, pool string, p Priority) error {
	queue := QueueName(pool, p)
	// asynq registers a queue only once, but Redis may have lost the registration since.
	var registerErr error
	var registered sync.WaitGroup // both requests run concurrently, for the time of one round trip
	registered.Go(func() { registerErr = s.rdb.SAdd(ctx, asynqQueuesKey, queue).Err() })
	_, err := s.permitClient.EnqueueContext(ctx, asynq.NewTask(permitTask, []byte("{}")),
		asynq.Queue(queue),
		// Retries are for errors of Redis and for missing tools. Crashes are counted in the job
		// hash.
		asynq.MaxRetry(1<<30), asynq.Timeout(permitTimeout), asynq.Retention(0))
	registered.Wait()
	if registerErr != nil {
		s.log.Debug("a queue is not registered until its next permit", "queue", queue,
			"error", registerErr)
	}
	if err == nil { // a lost message delays the job by at most idleCheck
		if e := s.rdb.Publish(ctx, string(EventWork), queue).Err(); e != nil {
			s.log.Debug("the message about a new job is lost", "queue", queue, "error", e)
		}
	}
	return err
}

// Dequeue returns the next task of a queue, or "" if none is pending.
func (s *Store) Dequeue(ctx context.Context, queue string) (task string, err error) {
	keys := []string{PendingKey(queue), turnsKey(queue), servedKey(queue), takenKey(queue)}
	task, err = dequeueScript.Run(ctx, s.rdb, keys,
		callerJobsKey(queue, ""), turnMemory.Milliseconds(), permitTimeout.Milliseconds()).Text()
	return task, unavailable(err)
}

// Waiting returns the number of pending jobs in the given queues, excluding paused queues.
func (s *Store) Waiting(ctx context.Context, queues []string) (int, error) {
	pending, err := s.count(ctx, queues, func(pipe redis.Pipeliner, queue string) *redis.IntCmd {
		return pipe.ZCard(ctx, PendingKey(queue))
	})
	if err != nil || len(pending) == 0 {
		return 0, unavailable(err)
	}
	paused, err := s.count(ctx, slices.Collect(maps.Keys(pending)),
		func(pipe redis.Pipeliner, queue string) *redis.IntCmd {
			return pipe.Exists(ctx, pausedKey(queue))
		})
	n := 0
	for queue, jobs := range pending {
		if paused[queue] == 0 {
			n += jobs
		}
	}
	return n, unavailable(err)
}

// count runs a command for each of the given queues and returns the positive results by queue.
func (s *Store) count(
	ctx context.Context, queues []string, command func(redis.Pipeliner, string) *redis.IntCmd,
) (map[string]int, error) {
	replies := make([]*redis.IntCmd, len(queues))
	_, err := s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, q := range queues {
			replies[i] = command(pipe, q)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for i, q := range queues {
		if n := replies[i].Val(); n > 0 {
			counts[q] = int(n)
		}
	}
	return counts, nil
}

// Release ends the hold of a worker on a dequeued task. An audit finds a task that is never
// released.
func (s *Store) Release(ctx context.Context, queue, task string) {
	if err := s.rdb.ZRem(ctx, takenKey(queue), task).Err(); err != nil {
		s.log.Debug("a finished job remains listed until an audit", "task", task, "error", err)
	}
}

// Hold renews a worker's holds on tasks that it has dequeued from a queue.
func (s *Store) Hold(ctx context.Context, queue string, tasks []string) error {
	args := []any{permitTimeout.Milliseconds()}
	for _, t := range tasks {
		args = append(args, t)
	}
	return unavailable(holdScript.Run(ctx, s.rdb, []string{takenKey(queue)}, args...).Err())
}

// Remove removes a job and one permit from its queue. After an error, a worker may receive a stale
// task.
func (s *Store) Remove(ctx context.Context, v InFlightJob) {
	removed, err := s.removePending(ctx, v)
	if err == nil && removed {
		err = s.dropPermit(ctx, QueueName(v.Pool, v.Priority))
	}
	if err != nil {
		s.log.Debug("a stale job remains in the queue until its turn", "job", v.ID, "error", err)
	}
}

// removePending removes a job from its queue but keeps the permits. It reports whether the job was
// pending.
func (s *Store) removePending(ctx context.Context, v InFlightJob) (bool, error) {
	queue := QueueName(v.Pool, v.Priority)
	keys := []string{PendingKey(queue), turnsKey(queue), callerJobsKey(queue, v.Group)}
	n, err := removeScript.Run(ctx, s.rdb, keys, v.Task, v.Group).Int()
	return n == 1, err
}

// dropPermit deletes the newest permit of a queue. All permits are equal because none belongs to a
// job.
func (s *Store) dropPermit(ctx context.Context, queue string) error {
	permit, err := s.rdb.LIndex(ctx, PermitsKey(queue), 0).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return err
	}
	err = s.inspector.DeleteTask(queue, permit)
	if errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound) {
		return nil
	}
	return err
}

// Lost reports whether a queued job is missing from its queue.
func (s *Store) Lost(ctx context.Context, v InFlightJob) (bool, error) {
	queue := QueueName(v.Pool, v.Priority)
	keys := []string{PendingKey(queue), takenKey(queue)}
	n, err := lostScript.Run(ctx, s.rdb, keys, v.Task, takenGrace.Milliseconds()).Int()
	return n == 1, unavailable(err)
}

// Audit adds the missing permits of a queue and requeues the jobs of dead workers.
func (s *Store) Audit(ctx context.Context, pool string, p Priority) error {
	dead, err := s.audit(ctx, pool, p)
	for _, task := range dead {
		if err == nil {
			err = s.revive(ctx, QueueName(pool, p), task)
		}
	}
	return unavailable(err)
}

// audit adds the missing permits and returns the tasks of dead workers.
func (s *Store) audit(ctx context.Context, pool string, p Priority) ([]string, error) {
	queue := QueueName(pool, p)
	keys := []string{
		PendingKey(queue), takenKey(queue), auditKey(queue), shortageKey(queue),
		PermitsKey(queue), "asynq:{" + queue + "}:retry",
	}
	pause := HeartbeatEvery * 3 / 4
	reply, err := auditScript.Run(ctx, s.rdb, keys,
		pause.Milliseconds(), takenTTL.Milliseconds(), maxRevived).Slice()
	if err != nil || len(reply) == 0 {
		return nil, err
	}
	if n := number(reply, 0); n > 0 {
		s.log.Warn("pending jobs lack permits, which are added", "queue", queue, "permits", n)
		for range n {
			if err := s.addPermit(ctx, pool, p); err != nil {
				return nil, err
			}
		}
	}
	var dead []string
	for i := range reply[1:] {
		dead = append(dead, text(reply, i+1))
	}
	return dead, nil
}

// OldestPending returns the queuing time of the oldest pending job of a queue, or zero if none is
// pending.
func (s *Store) OldestPending(ctx context.Context, queue string) (time.Time, error) {
	z, err := s.rdb.ZRangeWithScores(ctx, PendingKey(queue), 0, 0).Result()
	if err != nil || len(z) == 0 {
		return time.Time{}, unavailable(err)
	}
	return time.UnixMilli(int64(z[0].Score)), nil
}

// Tasks returns the dequeued tasks of a queue, then the pending tasks in their present order. It
// may return a task twice.
func (s *Store) Tasks(ctx context.Context, queue string) ([]string, error) {
	tasks, err := s.rdb.ZRange(ctx, takenKey(queue), 0, -1).Result()
	if err != nil {
		return nil, unavailable(err)
	}
	callers, err := s.rdb.ZRange(ctx, turnsKey(queue), 0, -1).Result()
	if err != nil || len(callers) == 0 {
		return tasks, unavailable(err)
	}
	lists := make([]*redis.StringSliceCmd, len(callers))
	_, err = s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, c := range callers {
			lists[i] = pipe.LRange(ctx, callerJobsKey(queue, c), 0, -1)
		}
		return nil
	})
	if err != nil {
		return nil, unavailable(err)
	}
	for round, more := 0, true; more; round++ {
		more = false
		for _, l := range lists {
			if round < len(l.Val()) {
				tasks, more = append(tasks, l.Val()[round]), true
			}
		}
	}
	return tasks, nil
}

// Move gives a job a new task and puts it into the queue of priority p, in the list of the group.
// It does nothing if another process has moved the job first.
func (s *Store) Move(ctx context.Context, v InFlightJob, p Priority, group string) error {
	return unavailable(s.move(ctx, v, p, group))
}

func (s *Store) move(ctx context.Context, v InFlightJob, p Priority, group string) error {
	task, old := nextTask(v.ID), v
	keys := []string{JobKey(v.ID), ResultKey(v.ID), HeartbeatKey(v.ID)}
	now := s.now()
	moved, err := moveScript.Run(ctx, s.rdb, keys,
		v.Task, task, string(v.State), string(p), now.UnixMilli(), group).Int()
	if err != nil || moved == 0 {
		return err
	}
	v.Task, v.Priority, v.Group, v.State = task, p, group, Queued
	v.Deadline = now.Add(old.Deadline.Sub(old.EnqueuedAt))
	at := positionLast
	if old.State == Running { // a job that has run goes before the group's other jobs
		at = positionFirst
	}
	if err := s.enqueue(ctx, v, at); err != nil {
		return err // the next poll detects the lost job and moves it again
	}
	if old.State == Queued {
		s.Remove(ctx, old)
	}
	return nil
}

// revive requeues the job of a dead worker.
func (s *Store) revive(ctx context.Context, queue, task string) error {
	id := JobOfTask(task)
	v, err := s.InFlight(ctx, id)
	if err != nil {
		return err
	}
	dead := v.Task == task // with another task, the job has ended or was moved
	if dead && v.State == Queued {
		err := s.rdb.ZScore(ctx, PendingKey(queue), task).Err()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		dead = err != nil // a pending task was handed back
	}
	if dead {
		beating, err := s.rdb.Exists(ctx, HeartbeatKey(id)).Result()
		if err != nil || beating == 1 {
			return err
		}
		s.log.Warn("a worker has died; its job is enqueued again",
			"job", id, "tool", v.Tool, "task", task)
		if err := s.move(ctx, v, v.Priority, v.Group); err != nil {
			return err
		}
	}
	return s.rdb.ZRem(ctx, takenKey(queue), task).Err()
}

// InFlight reads the hash of a job. The result has no Task if the hash does not exist.
func (s *Store) InFlight(ctx context.Context, id string) (InFlightJob, error) {
	names := strings.Split(strings.ReplaceAll(inFlightFields, "'", ""), ", ")
	fields, err := s.rdb.HMGet(ctx, JobKey(id), names...).Result()
	return readInFlightJob(id, fields), unavailable(err)
}

// SetPaused pauses or resumes the queues of a pool. Workers begin no jobs of a paused queue.
func (s *Store) SetPaused(ctx context.Context, pool string, paused bool) error {
	change, before := s.inspector.PauseQueue, int64(0)
	if !paused {
		change, before = s.inspector.UnpauseQueue, 1
	}
	for _, p := range Priorities() {
		// The pause key is read first because asynq returns an error for a queue that is already
		// paused.
		queue := QueueName(pool, p)
		is, err := s.rdb.Exists(ctx, pausedKey(queue)).Result()
		if err == nil && is == before {
			err = change(queue)
		}
		if err != nil {
			return unavailable(err)
		}
	}
	return nil
}

// Paused reports whether a queue of a pool is paused.
func (s *Store) Paused(ctx context.Context, pool string) (bool, error) {
	paused := int64(0)
	for _, p := range Priorities() {
		n, err := s.rdb.Exists(ctx, pausedKey(QueueName(pool, p))).Result()
		if err != nil {
			return false, unavailable(err)
		}
		paused += n
	}
	return paused > 0, nil
}

// Active reports whether a living worker holds a permit of a pool. asynq keeps the permit of a dead
// worker until another worker recovers it, but the lease of the permit expires.
func (s *Store) Active(pool string) (bool, error) {
	for _, p := range Priorities() {
		active, err := s.inspector.ListActiveTasks(QueueName(pool, p), asynq.PageSize(maxActive))
		if err != nil && !errors.Is(err, asynq.ErrQueueNotFound) {
			return false, unavailable(err)
		}
		if slices.ContainsFunc(active, func(t *asynq.TaskInfo) bool { return !t.IsOrphaned }) {
			return true, nil
		}
	}
	return false, nil
}
