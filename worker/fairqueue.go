package worker

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"github.com/hibiken/asynq"
	"github.com/redis/go-redis/v9"
)

// asynq serves each of its queues first in, first out. For round-robin by caller its tasks are
// tickets: one per pending job, each without a name of a job. A worker that gets a ticket
// dequeues the job of the caller whose turn it is. Everything of one queue has one hash tag, so
// that a script may touch it in a cluster.

// Timing of the fair queue.
const (
	// turnMemory is how long a caller who was served stands behind callers who arrive. It is
	// longer than any job runs, so that the next free slot goes to a caller who has had none;
	// and it is bounded, so that a stream of new callers cannot shut out the others.
	turnMemory = 5 * time.Minute
	// takenGrace is how long a worker may need from dequeuing a job to beginning it.
	takenGrace = 3 * time.Second
	// takenLife is the age of the last beat from which a dequeued job's worker counts as dead.
	takenLife = heartbeatTTL + heartbeatEvery
	// ticketTimeout bounds a ticket for asynq: longer than any run, because asynq gives the
	// ticket of a run that exceeds it to another worker.
	ticketTimeout = time.Hour
	// deadJobsAtOnce bounds the jobs that one audit of a queue revives.
	deadJobsAtOnce = 20
)

// ticketType names our tasks to asynq. runType names those of the version before tickets,
// which carry the id of their job.
const (
	ticketType = "slipstick:ticket"
	runType    = "slipstick:run"
)

func pendingJobsKey(queue string) string { return "slipstick:pending:{" + queue + "}" }
func turnsKey(queue string) string       { return "slipstick:turns:{" + queue + "}" }
func servedKey(queue string) string      { return "slipstick:served:{" + queue + "}" }
func takenKey(queue string) string       { return "slipstick:taken:{" + queue + "}" }
func auditKey(queue string) string       { return "slipstick:audit:{" + queue + "}" }
func shortageKey(queue string) string    { return "slipstick:shortage:{" + queue + "}" }

// callerJobsKey is the list of a caller's pending jobs. The scripts append callers to the prefix.
func callerJobsKey(queue, caller string) string { return pendingJobsKey(queue) + ":" + caller }

// luaNow sets ms and us to the time of Redis. Lua prints 14 digits, hence the format.
const luaNow = `
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
local function us(ahead)
  return string.format('%.0f', time[1] * 1000000 + time[2] + ahead * 1000)
end
`

// enqueueScript puts a job into its caller's list, and the caller into the rotation.
//
//	KEYS[1] pending jobs, KEYS[2] turns, KEYS[3] served, KEYS[4] the caller's list
//	ARGV[1] task, ARGV[2] caller, ARGV[3] when it was queued [ms], ARGV[4] least life of the keys
//	in ms, ARGV[5] "last"; "first", before the caller's other jobs; or "join", which gives a job that
//	is pending a place among this caller's jobs too
//
// Returns 1, or 0 when a job to be joined is not pending, or has its place already.
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

// dequeueScript takes the first job of the caller whose turn it is. The lists may name jobs that
// are pending no longer; the set of pending jobs decides.
//
//	KEYS[1] pending jobs, KEYS[2] turns, KEYS[3] served, KEYS[4] taken
//	ARGV[1] prefix of the callers' lists, ARGV[2] turnMemory in ms, ARGV[3] life of taken in ms
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

// removeScript takes a job out of the queue.
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

// lostScript tells whether a job that is said to be queued is in the queue no longer: the process
// that submitted it died before it enqueued it, Redis lost the queue, or the worker that
// dequeued it died before it began.
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

// holdScript notes that the worker that dequeued jobs lives.
//
//	KEYS[1] taken
//	ARGV[1] life of taken in ms, ARGV[2...] tasks
var holdScript = redis.NewScript(luaNow + `
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], ms, ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
`)

// auditScript compares tickets and pending jobs, and finds the jobs of dead workers. A ticket is
// missing when a process died between enqueuing a job and its ticket, or a worker between a
// ticket and its job. It counts when two audits in a row miss it: between the two steps of a
// living process it is missing as well.
//
//	KEYS[1] pending jobs, KEYS[2] taken, KEYS[3] audit, KEYS[4] shortage, KEYS[5] asynq's
//	pending list, KEYS[6] asynq's retry set
//	ARGV[1] least time between two audits in ms, ARGV[2] takenLife in ms, ARGV[3] most dead jobs
//
// Returns the number of tickets to add, followed by the tasks of dead workers; nothing when
// another worker has just made an audit. The tasks are found again when they are not removed.
var auditScript = redis.NewScript(luaNow + `
if not redis.call('SET', KEYS[3], '1', 'PX', ARGV[1], 'NX') then return {} end
local tickets = redis.call('LLEN', KEYS[5]) + redis.call('ZCARD', KEYS[6])
local missing = redis.call('ZCARD', KEYS[1]) - tickets
local before = tonumber(redis.call('GET', KEYS[4]) or '0')
redis.call('SET', KEYS[4], missing, 'PX', 4 * ARGV[1])
local add = math.max(0, math.min(missing, before))
if add > 0 then redis.call('SET', KEYS[4], missing - add, 'PX', 4 * ARGV[1]) end
local answer = {tostring(add)}
local silent = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ms - ARGV[2], 'LIMIT', 0, ARGV[3])
for _, task in ipairs(silent) do
  redis.call('ZADD', KEYS[2], ms, task)
  answer[#answer + 1] = task
end
return answer
`)

// fairQueues are the queues as clients and workers use them. Queues are named by queueName.
type fairQueues struct {
	rdb       redis.UniversalClient
	inspector *asynq.Inspector
	log       *slog.Logger
	now       func() time.Time
}

func newFairQueues(rdb redis.UniversalClient, log *slog.Logger, now func() time.Time) fairQueues {
	inspector := asynq.NewInspectorFromRedisClient(rdb)
	return fairQueues{rdb: rdb, inspector: inspector, log: log, now: now}
}

// place is the place of a job in its caller's list.
type place string

// The places that enqueueScript knows.
const (
	last  place = "last"
	first place = "first"
	also  place = "join"
)

// put puts a job into its queue, without a ticket.
func (q fairQueues) put(ctx context.Context, v inFlightJob, caller string, where place) error {
	queue := queueName(v.pool, v.class)
	life := max(v.deadline.Sub(q.now()), 0) + jobTTLSlack
	keys := []string{
		pendingJobsKey(queue), turnsKey(queue), servedKey(queue), callerJobsKey(queue, caller),
	}
	return enqueueScript.Run(ctx, q.rdb, keys,
		v.task, caller, q.now().UnixMilli(), life.Milliseconds(), string(where)).Err()
}

// enqueue puts a job into its queue and gives asynq a ticket for it.
func (q fairQueues) enqueue(ctx context.Context, v inFlightJob, where place) error {
	if err := q.put(ctx, v, v.group, where); err != nil {
		return err
	}
	return q.addTicket(ctx, v.pool, v.class)
}

// addTicket makes some worker dequeue a job.
func (q fairQueues) addTicket(ctx context.Context, pool string, class Priority) error {
	// A new asynq client each time: it announces a queue once in its life, and would not again
	// after Redis lost its memory. It holds no connection of its own.
	client, ticket := asynq.NewClientFromRedisClient(q.rdb), asynq.NewTask(ticketType, []byte("{}"))
	_, err := client.EnqueueContext(ctx, ticket,
		asynq.Queue(queueName(pool, class)),
		// Retries are only for trouble with Redis and for tools that a worker does not know;
		// crashes are counted in the job hash.
		asynq.MaxRetry(1<<30), asynq.Timeout(ticketTimeout), asynq.Retention(0))
	if err == nil { // a ring that is lost costs a tenth of a second
		if e := q.rdb.Publish(ctx, workChannel, pool).Err(); e != nil {
			q.log.Debug("no worker was told of a job", "pool", pool, "error", e)
		}
	}
	return err
}

// dequeue takes the next job of a queue. The task is "" when none is pending.
func (q fairQueues) dequeue(ctx context.Context, queue string) (task string, err error) {
	keys := []string{pendingJobsKey(queue), turnsKey(queue), servedKey(queue), takenKey(queue)}
	return dequeueScript.Run(ctx, q.rdb, keys,
		callerJobsKey(queue, ""), turnMemory.Milliseconds(), ticketTimeout.Milliseconds()).Text()
}

// ended notes that a worker has nothing more to do with a job that it dequeued.
func (q fairQueues) ended(queue, task string) {
	ctx, done := context.WithTimeout(context.Background(), opTimeout)
	defer done()
	if err := q.rdb.ZRem(ctx, takenKey(queue), task).Err(); err != nil {
		q.log.Debug("an ended job stays listed until an audit", "task", task, "error", err)
	}
}

// hold notes that the dequeued jobs of a living worker are in hand.
func (q fairQueues) hold(ctx context.Context, queue string, tasks []string) error {
	args := []any{ticketTimeout.Milliseconds()}
	for _, t := range tasks {
		args = append(args, t)
	}
	return holdScript.Run(ctx, q.rdb, []string{takenKey(queue)}, args...).Err()
}

// remove takes a job out of its queue, and one ticket with it. An error costs a worker a look at
// the queue: a task that is not the job's steps aside.
func (q fairQueues) remove(ctx context.Context, v inFlightJob) {
	queue := queueName(v.pool, v.class)
	removed, err := q.takeOut(ctx, v)
	if err == nil && removed {
		err = q.dropTicket(ctx, queue)
	}
	if err != nil {
		q.log.Debug("a stale job stays in the queue until its turn", "job", v.ID, "error", err)
	}
}

// takeOut takes a job out of its queue and leaves the tickets. It reports whether it was pending.
func (q fairQueues) takeOut(ctx context.Context, v inFlightJob) (bool, error) {
	keys := []string{
		pendingJobsKey(queueName(v.pool, v.class)), turnsKey(queueName(v.pool, v.class)),
		callerJobsKey(queueName(v.pool, v.class), v.group),
	}
	n, err := removeScript.Run(ctx, q.rdb, keys, v.task, v.group).Int()
	return n == 1, err
}

// dropTicket deletes the newest ticket of a queue: any does, as none belongs to a job.
func (q fairQueues) dropTicket(ctx context.Context, queue string) error {
	ticket, err := q.rdb.LIndex(ctx, pendingKey(queue), 0).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return err
	}
	err = q.inspector.DeleteTask(queue, ticket)
	if errors.Is(err, asynq.ErrTaskNotFound) || errors.Is(err, asynq.ErrQueueNotFound) {
		return nil
	}
	return err
}

// lost says that no ticket leads to a job that is said to be queued.
func (q fairQueues) lost(ctx context.Context, v inFlightJob) (bool, error) {
	queue := queueName(v.pool, v.class)
	keys := []string{pendingJobsKey(queue), takenKey(queue)}
	n, err := lostScript.Run(ctx, q.rdb, keys, v.task, takenGrace.Milliseconds()).Int()
	return n == 1, err
}

// audit adds the tickets that are missing and returns the tasks of dead workers.
func (q fairQueues) audit(ctx context.Context, pool string, class Priority) ([]string, error) {
	queue := queueName(pool, class)
	keys := []string{
		pendingJobsKey(queue), takenKey(queue), auditKey(queue), shortageKey(queue),
		pendingKey(queue), "asynq:{" + queue + "}:retry",
	}
	pause := heartbeatEvery * 3 / 4
	reply, err := auditScript.Run(ctx, q.rdb, keys,
		pause.Milliseconds(), takenLife.Milliseconds(), deadJobsAtOnce).Slice()
	if err != nil || len(reply) == 0 {
		return nil, err
	}
	if n := number(reply, 0); n > 0 {
		q.log.Warn("pending jobs have lost their tickets; others are added", "queue", queue, "tickets", n)
		for range n {
			if err := q.addTicket(ctx, pool, class); err != nil {
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

// oldest is when the job was queued that has waited longest; zero when none waits.
func (q fairQueues) oldest(ctx context.Context, queue string) (time.Time, error) {
	z, err := q.rdb.ZRangeWithScores(ctx, pendingJobsKey(queue), 0, 0).Result()
	if err != nil || len(z) == 0 {
		return time.Time{}, err
	}
	return time.UnixMilli(int64(z[0].Score)), nil
}

// inFlight lists the tasks that workers have dequeued, then the pending ones in the order in
// which they will be, as far as is known now. A task may be listed twice.
func (q fairQueues) inFlight(ctx context.Context, queue string) ([]string, error) {
	tasks, err := q.rdb.ZRange(ctx, takenKey(queue), 0, -1).Result()
	if err != nil {
		return nil, err
	}
	callers, err := q.rdb.ZRange(ctx, turnsKey(queue), 0, -1).Result()
	if err != nil || len(callers) == 0 {
		return tasks, err
	}
	lists := make([]*redis.StringSliceCmd, len(callers))
	_, err = q.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for i, c := range callers {
			lists[i] = pipe.LRange(ctx, callerJobsKey(queue, c), 0, -1)
		}
		return nil
	})
	if err != nil {
		return nil, err
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

// move gives a job a new task name and puts it into the queue of a class, unless another process
// was first.
func (q fairQueues) move(ctx context.Context, v inFlightJob, class Priority, group string) error {
	task, old := anotherTask(v.ID), v
	keys := []string{metaKey(v.ID), resultKey(v.ID), heartbeatKey(v.ID)}
	now := q.now()
	moved, err := moveScript.Run(ctx, q.rdb, keys,
		v.task, task, string(v.State), string(class), now.UnixMilli(), group).Int()
	if err != nil || moved == 0 {
		return err
	}
	v.task, v.class, v.group, v.State = task, class, group, Queued
	v.deadline = now.Add(old.deadline.Sub(old.EnqueuedAt))
	where := last
	if old.State == Running { // it has had its turn
		where = first
	}
	if err := q.enqueue(ctx, v, where); err != nil {
		return err // the next look finds the job lost and moves it again
	}
	if old.State == Queued {
		q.remove(ctx, old)
	}
	return nil
}

// revive puts the job of a dead worker back into its queue.
func (q fairQueues) revive(ctx context.Context, queue, task string) error {
	id := jobOf(task)
	v, err := q.view(ctx, id)
	if err != nil {
		return err
	}
	dead := v.task == task // else the job has ended, or another task has it
	if dead && v.State == Queued {
		err := q.rdb.ZScore(ctx, pendingJobsKey(queue), task).Err()
		if err != nil && !errors.Is(err, redis.Nil) {
			return err
		}
		dead = err != nil // else it was handed back
	}
	if dead {
		beating, err := q.rdb.Exists(ctx, heartbeatKey(id)).Result()
		if err != nil || beating == 1 {
			return err
		}
		q.log.Warn("a worker has died; its job is enqueued again",
			"job", id, "tool", v.Tool, "task", task)
		if err := q.move(ctx, v, v.class, v.group); err != nil {
			return err
		}
	}
	return q.rdb.ZRem(ctx, takenKey(queue), task).Err()
}

// view reads the hash of a job; it has no task when there is none.
func (q fairQueues) view(ctx context.Context, id string) (inFlightJob, error) {
	names := strings.Split(strings.ReplaceAll(inFlightFields, "'", ""), ", ")
	fields, err := q.rdb.HMGet(ctx, metaKey(id), names...).Result()
	return readInFlightJob(id, fields), err
}

// jobOf is the id of the job of a task.
func jobOf(task string) string {
	id, _, _ := strings.Cut(task, ".")
	return id
}
