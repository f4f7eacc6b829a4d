package store

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"slipstick/tools"
)

// NewJob is a request for a job.
type NewJob struct {
	ID, Tool, Version, Pool string
	Timeout                 time.Duration // time limit of a run
	Input                   json.RawMessage
	Priority                Priority
	Caller                  string // caller that may cancel the job; "": none
	Group                   string // group whose turn and limit apply; "": no limit
	Share                   string // caller with its own limit of jobs; "": none
	Detached                bool   // the job continues without waiters
	Trace                   string // traceparent of the request
	At                      time.Time
}

// InFlightJob is an unfinished job, as stored in its hash.
type InFlightJob struct {
	Job
	Task     string
	Pool     string
	Priority Priority
	Group    string    // group whose turn the job takes
	Caller   string    // group whose limit the job counts against
	Share    string    // caller whose own limit the job counts against; "": none
	Deadline time.Time // deadline for the job to begin
	Moved    time.Time // time when the job was last queued
	Timeout  time.Duration
	Beating  bool // the run has a heartbeat
}

// newInFlight returns the job that Admit creates.
func (s *Store) newInFlight(j NewJob) InFlightJob {
	return InFlightJob{
		Job:  Job{ID: j.ID, Tool: j.Tool, Version: j.Version, State: Queued, EnqueuedAt: j.At},
		Task: j.ID, Pool: j.Pool, Priority: j.Priority, Group: j.Group, Caller: j.Group,
		Share: j.Share, Timeout: j.Timeout, Deadline: j.At.Add(s.opt.QueueTimeout),
	}
}

// AdmitKind is the kind of an Admission.
type AdmitKind string

// Kinds of an Admission.
const (
	AdmitAbsent   AdmitKind = "absent"   // no such job exists, and create is not set
	AdmitCreated  AdmitKind = "created"  // a new job
	AdmitJoined   AdmitKind = "joined"   // an equal job in flight
	AdmitFinished AdmitKind = "finished" // an equal job with a reusable result
)

// Admission is the result of a request for a job.
type Admission struct {
	Kind AdmitKind
	Job  InFlightJob // for AdmitFinished only Job.Job is set
}

// Admit finds or joins an equal job and registers the caller and its waiter. If there is no equal
// job and create is true, Admit creates the job, which must then be passed to Enqueue.
func (s *Store) Admit(ctx context.Context, j NewJob, token string, create bool) (Admission, error) {
	detached := "0"
	if j.Detached {
		detached = "1"
	}
	ttl := s.jobTTL(j.Timeout)
	args := []any{
		token, WaiterTTL.Milliseconds(), detached, ttl.Milliseconds(), j.Caller, MaxCallers,
		(ttl + s.opt.ResultTTL).Milliseconds(), j.At.UnixMilli(),
	}
	if create {
		args = append(args,
			"tool", j.Tool, "version", j.Version, "state", string(Queued), "task", j.ID,
			"pool", j.Pool, "class", string(j.Priority), "caller", j.Group, "group", j.Group,
			"share", j.Share, "enqueued", j.At.UnixMilli(),
			"deadline", j.At.Add(s.opt.QueueTimeout).UnixMilli(), "moved", j.At.UnixMilli(),
			"progress", "", "timeout", j.Timeout.Milliseconds(), "runs", 0, "input",
			string(j.Input),
			"trace", j.Trace)
	}
	keys := []string{JobKey(j.ID), ResultKey(j.ID), WaitersKey(j.ID), CallersKey(j.ID)}
	reply, err := admitScript.Run(ctx, s.rdb, keys, args...).Slice()
	if err != nil {
		return Admission{}, unavailable(err)
	}
	a := Admission{Kind: AdmitKind(text(reply, 0))}
	switch a.Kind {
	case AdmitFinished, "large":
		a.Kind = AdmitFinished
		if a.Job.Job, err = s.finishedJob(j.ID, reply); err != nil { // record of another version
			s.log.Warn("a stored result cannot be read", "job", j.ID, "error", err)
			if err := s.rdb.Del(ctx, ResultKey(j.ID)).Err(); err != nil {
				return Admission{}, unavailable(err)
			}
			return s.Admit(ctx, j, token, create)
		}
	case AdmitCreated:
		a.Job = s.newInFlight(j)
	case AdmitJoined:
		a.Job = readInFlightJob(j.ID, reply[1])
	}
	return a, nil
}

// finishedJob decodes a script reply {"finished", record} or {"large", head, length}.
func (s *Store) finishedJob(id string, reply []any) (Job, error) {
	if text(reply, 0) == "large" {
		length, _ := reply[2].(int64)
		return s.large(id, []byte(text(reply, 1)), length)
	}
	return s.codec.unpack(id, []byte(text(reply, 1)))
}

// readInFlightJob decodes the values of inFlightFields.
func readInFlightJob(id string, values any) InFlightJob {
	list, _ := values.([]any)
	v := InFlightJob{
		Job: Job{
			ID: id, Tool: text(list, 0), Version: text(list, 1), State: State(text(list, 2)),
			EnqueuedAt: millis(list, 7),
		},
		Task: text(list, 3), Pool: text(list, 4), Priority: Priority(text(list, 5)),
		Caller: text(list, 6), Deadline: millis(list, 8), Moved: millis(list, 9),
		Timeout: time.Duration(number(list, 11)) * time.Millisecond,
		Group:   text(list, 12), Share: text(list, 13),
	}
	v.Progress = readProgress(text(list, 10))
	if v.Group == "" {
		v.Group = v.Caller // submitted by a version without groups
	}
	return v
}

func readProgress(s string) (p tools.Progress) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &p) // invalid progress is ignored
	}
	return p
}

// Withdraw deletes a job that this process created but could not enqueue.
func (s *Store) Withdraw(ctx context.Context, v InFlightJob) {
	// Remove would also delete a permit. No permit has been added for this job, so another job
	// would lack one.
	if _, err := s.removePending(ctx, v); err != nil {
		s.log.Debug("a stale job remains in the queue until its turn", "job", v.ID, "error", err)
	}
	keys := []string{JobKey(v.ID), WaitersKey(v.ID)}
	if err := withdrawScript.Run(ctx, s.rdb, keys, v.Task).Err(); err != nil {
		s.log.Warn("a job that could not be enqueued remains", "job", v.ID, "error", err)
	}
	s.ReleaseSlots(ctx, v.ID, v.Caller, v.Share)
}

// Lookup returns the state of a job and renews the waiters with the given tokens. For a finished
// job it sets only Job. It returns ErrJobNotFound for an unknown job, and a *DroppedError for an
// evicted result.
func (s *Store) Lookup(ctx context.Context, id string, tokens ...string) (InFlightJob, error) {
	args := []any{WaiterTTL.Milliseconds()}
	for _, t := range tokens {
		args = append(args, t)
	}
	keys := []string{JobKey(id), ResultKey(id), WaitersKey(id), HeartbeatKey(id)}
	reply, err := lookupScript.Run(ctx, s.rdb, keys, args...).Slice()
	if err != nil {
		return InFlightJob{}, unavailable(err)
	}
	switch text(reply, 0) {
	case "finished", "large":
		j, err := s.finishedJob(id, reply)
		if err != nil && !errors.Is(err, ErrJobNotFound) {
			s.log.Warn("a stored result cannot be read", "job", id, "error", err)
			err = ErrJobNotFound
		}
		return InFlightJob{Job: j}, err
	case "absent":
		return InFlightJob{}, ErrJobNotFound
	}
	v := readInFlightJob(id, reply[1])
	n, _ := reply[2].(int64)
	v.Beating = n == 1
	return v, nil
}

// Runs returns the pool, priority, group and number of runs of a job in flight.
func (s *Store) Runs(
	ctx context.Context, id string,
) (pool string, p Priority, group string, runs int, err error) {
	f, err := s.rdb.HMGet(ctx, JobKey(id), "pool", "class", "caller", "runs").Result()
	return text(f, 0), Priority(text(f, 1)), text(f, 2), int(number(f, 3)), unavailable(err)
}

// Membership returns the times at which a caller joined and left a job. left is zero if the caller
// has not left. Both are zero if the caller has not joined.
func (s *Store) Membership(
	ctx context.Context, id, caller string,
) (joined, left time.Time, err error) {
	value, err := s.rdb.HGet(ctx, CallersKey(id), caller).Result()
	if errors.Is(err, redis.Nil) {
		return joined, left, nil
	}
	if err != nil {
		return joined, left, unavailable(err)
	}
	if gone, isGone := strings.CutPrefix(value, "-"); isGone {
		leftMS, joinedMS, _ := strings.Cut(gone, "-")
		return parseMillis(joinedMS), parseMillis(leftMS), nil
	}
	return parseMillis(value), left, nil
}

// Detach removes a waiter and lets the job continue without waiters.
func (s *Store) Detach(ctx context.Context, id, token string) error {
	keys := []string{JobKey(id), WaitersKey(id)}
	return unavailable(detachScript.Run(ctx, s.rdb, keys, token).Err())
}

// CancelResult is the result of a cancellation.
type CancelResult string

// Results of a cancellation. The result is "" if the job is finished, unknown, detached or has
// other waiters.
const (
	CancelDone     CancelResult = "cancelled"
	CancelLeft     CancelResult = "left"     // the job continues for other callers
	CancelStranger CancelResult = "stranger" // the caller has neither submitted nor joined the job
)

// CancelledFailure is the Outcome.Failure of a cancelled job.
const CancelledFailure = "The job was cancelled."

// Cancel cancels a job. With a token it removes this waiter, and cancels the job only if no waiter
// remains and the job is not detached. With a caller it removes this caller, and cancels the job
// only if no caller remains. With neither it always cancels the job.
func (s *Store) Cancel(ctx context.Context, j Job, token, caller string) (CancelResult, error) {
	ttl := s.opt.ResultTTL
	cancelled := j.Finish(Cancelled, Outcome{Failure: CancelledFailure}, s.now(), ttl)
	record, err := s.codec.pack(cancelled)
	if err != nil {
		return "", err
	}
	keys := []string{
		JobKey(j.ID), ResultKey(j.ID), WaitersKey(j.ID), HeartbeatKey(j.ID), CallersKey(j.ID),
	}
	reply, err := cancelScript.Run(ctx, s.rdb, keys, record, ttl.Milliseconds(), j.ID,
		string(EventDone), string(EventCancel), token, caller, string(EventLeft)).Slice()
	if err != nil {
		return "", unavailable(err)
	}
	result := CancelResult(text(reply, 0))
	if result == CancelDone {
		v := readInFlightJob(j.ID, reply[1])
		if v.State == Queued {
			s.Remove(ctx, v)
		}
		s.ReleaseSlots(ctx, j.ID, v.Caller, v.Share)
	}
	return result, nil
}

// StopEarly asks the run of a job to end early. It returns false unless the job is running and
// caller is its only caller.
func (s *Store) StopEarly(ctx context.Context, id, caller string) (bool, error) {
	keys := []string{JobKey(id), CallersKey(id)}
	n, err := stopEarlyScript.Run(ctx, s.rdb, keys, caller, id, string(EventCancel)).Int()
	return n == 1, unavailable(err)
}

// FailQueued fails a queued job with the given outcome. It returns false if the job has finished or
// moved in the meantime.
func (s *Store) FailQueued(ctx context.Context, v InFlightJob, o Outcome) (Job, bool, error) {
	j := v.Finish(Failed, o, s.now(), s.opt.ResultTTL)
	record, err := s.codec.pack(j)
	if err != nil {
		return Job{}, false, err
	}
	keys := []string{JobKey(v.ID), ResultKey(v.ID), WaitersKey(v.ID), HeartbeatKey(v.ID)}
	stored, err := storeScript.Run(ctx, s.rdb, keys,
		record, s.opt.ResultTTL.Milliseconds(), v.ID, string(EventDone), v.Task).Int()
	if err != nil || stored != 1 {
		return v.Job, false, unavailable(err)
	}
	s.Remove(ctx, v)
	s.ReleaseSlots(ctx, v.ID, v.Caller, v.Share)
	return j, true, nil
}

// TakeSlot takes a slot of a caller for a job. ok is false if the number of the caller's jobs in
// flight has reached the limit most. isNew is false if the job already has a slot. A slot that is
// never released expires; timeout is the time limit of a run.
func (s *Store) TakeSlot(
	ctx context.Context, caller, id string, most int, timeout time.Duration,
) (ok, isNew bool, err error) {
	n, err := chargeScript.Run(ctx, s.rdb, []string{CallerKey(caller)},
		id, most, s.jobTTL(timeout).Milliseconds()).Int()
	return n > 0, n == 2, unavailable(err)
}

// ReleaseSlots releases the callers' slots and the input of a job. Entries that are never released
// expire.
func (s *Store) ReleaseSlots(ctx context.Context, id string, callers ...string) {
	s.ReleaseInput(ctx, id)
	s.RefundSlots(ctx, id, callers...)
}

// RefundSlots releases the slots of the given callers for a job. Empty names are skipped.
func (s *Store) RefundSlots(ctx context.Context, id string, callers ...string) {
	if err := s.refundSlots(ctx, id, callers...); err != nil {
		s.log.Debug("a job keeps a slot of its caller until it expires", "job", id, "error", err)
	}
}

func (s *Store) refundSlots(ctx context.Context, id string, callers ...string) (err error) {
	for _, caller := range callers {
		if caller == "" {
			continue
		}
		err = errors.Join(err, s.rdb.ZRem(ctx, CallerKey(caller), id).Err())
	}
	return unavailable(err)
}
