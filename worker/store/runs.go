package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
	"slipstick/tools/schema"
)

// Run is a job that a worker has begun.
type Run struct {
	ID, Task                  string
	Queue                     string // queue from which the task was dequeued; "" for a LegacyTask
	Tool, Version, Pool       string
	Priority                  Priority
	Caller, Share             string // callers whose slots the job occupies
	Input, Trace              string
	Enqueued, Deadline, Moved time.Time
	Count                     int // number of runs that have begun, including this one

	fields map[string]string // fields of the job hash, for Restore
}

// UnknownToolError is returned to a worker that lacks a job's tool or has another version of it.
type UnknownToolError struct {
	Tool string        // name and version
	For  time.Duration // time since a worker without the tool first received the job
}

// Error implements the error interface.
func (e *UnknownToolError) Error() string { return "this worker does not know " + e.Tool }

// Begin begins the run of a task. known lists the worker's tools, each as name, space and version;
// an empty list allows any tool. Begin returns a nil Run if the task is stale, and an
// *UnknownToolError if the tool is not in known.
func (s *Store) Begin(ctx context.Context, id, task, queue string, known []string) (*Run, error) {
	keys := []string{JobKey(id), ResultKey(id), HeartbeatKey(id)}
	args := []any{task, HeartbeatTTL.Milliseconds(), id, string(EventProgress)}
	for _, k := range known {
		args = append(args, k)
	}
	reply, err := beginScript.Run(ctx, s.rdb, keys, args...).StringSlice()
	if err != nil || len(reply) == 0 {
		return nil, unavailable(err)
	}
	if len(reply) == 3 && reply[0] == "unknown" {
		ms, _ := strconv.Atoi(reply[2])
		return nil, &UnknownToolError{reply[1], time.Duration(ms) * time.Millisecond}
	}
	f := map[string]string{}
	for i := 0; i+1 < len(reply); i += 2 {
		f[reply[i]] = reply[i+1]
	}
	count, _ := strconv.Atoi(f["runs"])
	return &Run{
		ID: id, Task: task, Queue: queue, Tool: f["tool"], Version: f["version"], Pool: f["pool"],
		Priority: Priority(f["class"]), Caller: f["caller"], Share: f["share"], Input: f["input"],
		Trace: f["trace"], Enqueued: parseMillis(f["enqueued"]),
		Deadline: parseMillis(f["deadline"]),
		Moved:    parseMillis(f["moved"]), Count: count, fields: f,
	}, nil
}

// Verdict is the reply to a heartbeat: the instruction for the run.
type Verdict string

// Replies to a heartbeat.
const (
	Continue    Verdict = "go"
	StopEarly   Verdict = "stop_early" // end with the best result so far
	StopNow     Verdict = "stop"       // the job has a result or another run
	JobHashLost Verdict = "lost"       // Redis has lost the job
)

// Heartbeat renews the heartbeat of a run and returns the instruction for it.
func (s *Store) Heartbeat(ctx context.Context, r *Run) (Verdict, error) {
	keys := []string{JobKey(r.ID), ResultKey(r.ID), HeartbeatKey(r.ID)}
	word, err := heartbeatScript.Run(ctx, s.rdb, keys,
		r.Task, HeartbeatTTL.Milliseconds(), r.fields["enqueued"]).Text()
	return Verdict(word), unavailable(err)
}

// Restore writes the job hash of a run again after Redis has lost it. timeout is the time limit of
// the run.
func (s *Store) Restore(ctx context.Context, r *Run, timeout time.Duration) error {
	keys := []string{JobKey(r.ID), ResultKey(r.ID), HeartbeatKey(r.ID)}
	args := []any{r.Task, HeartbeatTTL.Milliseconds(), (3*timeout + jobTTLSlack).Milliseconds()}
	for field, value := range r.fields {
		args = append(args, field, value)
	}
	return unavailable(restoreScript.Run(ctx, s.rdb, keys, args...).Err())
}

// CountRun counts another run after a crash.
func (s *Store) CountRun(ctx context.Context, r *Run) error {
	r.Count++
	return unavailable(countRunScript.Run(ctx, s.rdb, []string{JobKey(r.ID)}, r.Task).Err())
}

// SetProgress sets and publishes the progress of a run. It returns an error if the percentage is
// not finite.
func (s *Store) SetProgress(ctx context.Context, r *Run, p tools.Progress) error {
	body, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return unavailable(progressScript.Run(ctx, s.rdb, []string{JobKey(r.ID)},
		r.Task, body, r.ID, string(EventProgress)).Err())
}

// Requeue returns a running job to its queue; asynq returns its permit. If queued is true and err
// is not nil, the job is missing from its queue until a poll detects this.
func (s *Store) Requeue(ctx context.Context, r *Run) (queued bool, err error) {
	keys := []string{JobKey(r.ID), HeartbeatKey(r.ID)}
	if err := requeueScript.Run(ctx, s.rdb, keys, r.Task, s.now().UnixMilli()).Err(); err != nil {
		return false, unavailable(err)
	}
	if r.Queue == "" {
		return true, nil
	}
	v, err := s.InFlight(ctx, r.ID)
	if err == nil && v.Task == r.Task && v.State == Queued {
		err = s.put(ctx, v, v.Group, positionFirst)
	}
	return true, unavailable(err)
}

// PackResult encodes a finished job for StoreResult. It replaces a result that exceeds the budget
// of all results with a field error. end is the finished job that the record contains.
func (s *Store) PackResult(j Job, state State, o Outcome) (record []byte, end Job, err error) {
	end = j.Finish(state, o, s.now(), s.opt.ResultTTL)
	record, err = s.codec.pack(end)
	if most := s.limits().Results; err == nil && int64(len(record)+EntryOverhead) > most {
		end = j.Finish(Rejected, tooLarge(len(record), most), s.now(), s.opt.ResultTTL)
		record, err = s.codec.pack(end)
	}
	return record, end, err
}

// StoreResult stores and publishes the record of a finished run, and releases the slots of the job.
// waited is the time since the first attempt; results wait for room while others are read. stored
// is 1 if this call stored the record and 0 if a result already exists. It is -1 if a stale run
// reports a failure that the present run may avoid.
func (s *Store) StoreResult(
	ctx context.Context, r *Run, record []byte, waited time.Duration,
) (stored int, err error) {
	stored, err = s.storeResult(ctx, r, record, waited)
	if err != nil || stored < 0 { // the present run releases input and slots
		return stored, unavailable(err)
	}
	s.ReleaseInput(ctx, r.ID)
	return stored, s.refundSlots(ctx, r.ID, r.Caller, r.Share)
}

func (s *Store) storeResult(
	ctx context.Context, r *Run, record []byte, waited time.Duration,
) (stored int, err error) {
	keys := []string{JobKey(r.ID), ResultKey(r.ID), WaitersKey(r.ID), HeartbeatKey(r.ID)}
	ttl := s.opt.ResultTTL.Milliseconds()
	began := time.Now()
	defer func() {
		if isFull(err) {
			s.Relieve(ctx, began)
		}
	}()
	// If a result is stored, the account has an entry for it, which this run must not replace.
	isStored, awaited, err := s.resultStatus(ctx, r.ID)
	if err != nil || isStored {
		return 0, err
	}
	awaited = awaited && isLarge(record)
	mode := modeAfter(isLarge(record), waited)
	if err = s.enter(ctx, r.ID, r.Caller, len(record), s.opt.ResultTTL, awaited, mode); err != nil {
		return 0, err
	}
	if !isLarge(record) {
		return storeScript.Run(ctx, s.rdb, keys, record, ttl, r.ID, string(EventDone), r.Task).Int()
	}
	return s.storeLarge(ctx, append(keys, incomingKey(r.ID)), r.ID, record)
}

// storeLarge stores a large record in one round trip, or in two if Redis does not have the script.
// keys are those of storeLargeScript. SET is used because Redis copies and counts the arguments of
// a script.
func (s *Store) storeLarge(
	ctx context.Context, keys []string, id string, record []byte,
) (stored int, err error) {
	args := []any{s.opt.ResultTTL.Milliseconds(), id, string(EventDone)}
	var set *redis.StatusCmd
	var moved *redis.Cmd
	_, _ = s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		set = pipe.Set(ctx, incomingKey(id), record, incomingTTL)
		moved = storeLargeScript.EvalSha(ctx, pipe, keys, args...)
		return nil
	})
	if err := set.Err(); err != nil {
		return 0, err
	}
	if redis.HasErrorPrefix(moved.Err(), "NOSCRIPT") {
		moved = storeLargeScript.Run(ctx, s.rdb, keys, args...)
	}
	stored, err = moved.Int()
	if err == nil && stored < 0 {
		return 0, errors.New("the incoming record has expired")
	}
	return stored, err
}

// resultStatus reports whether the result of a job is stored, and whether a connected caller waits
// for it. A detached job is not awaited because its callers fetch the result later.
func (s *Store) resultStatus(ctx context.Context, id string) (isStored, awaited bool, err error) {
	var results, waiters *redis.IntCmd
	var keep *redis.StringCmd
	_, err = s.rdb.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		now := strconv.FormatInt(s.now().UnixMilli(), 10)
		results = pipe.Exists(ctx, ResultKey(id))
		waiters = pipe.ZCount(ctx, WaitersKey(id), now, "+inf")
		keep = pipe.HGet(ctx, JobKey(id), "keep")
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return false, false, err
	}
	return results.Val() == 1, waiters.Val() > 0 && keep.Val() != "1", nil
}

// tooLarge returns the outcome for a result that exceeds the budget of all results.
func tooLarge(record int, most int64) Outcome {
	return Outcome{FieldErrors: []schema.FieldError{{Detail: fmt.Sprintf(
		"the result has %.1f MB when it is compressed, more than the %.1f MB that all stored results "+
			"may have; ask for fewer points or outputs",
		float64(record)/1e6, float64(most)/1e6)}}}
}
