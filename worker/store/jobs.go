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
	Timeout                 time.Duration // of a run
	Input                   json.RawMessage
	Priority                Priority
	Caller                  string // that may cancel the job; "": none
	Group                   string // whose turn and cap the job takes; "": no cap
	Share                   string // caller with an own limit of jobs; "": none
	Detached                bool   // the job continues without waiters
	Trace                   string // the traceparent of the request
	At                      time.Time
}

// InFlightJob is an unfinished job as its hash describes it.
type InFlightJob struct {
	Job
	Task     string
	Pool     string
	Priority Priority
	Group    string    // whose turn it takes
	Caller   string    // the group whose cap it counts against
	Share    string    // caller whose own limit the job counts against; "": none
	Deadline time.Time // of its begin
	Moved    time.Time // of its last queuing
	Timeout  time.Duration
	Beating  bool // has a heartbeat
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

// The kinds of an Admission.
const (
	AdmitAbsent   AdmitKind = "absent"   // no such job, and create is not set
	AdmitCreated  AdmitKind = "created"  // a new job
	AdmitJoined   AdmitKind = "joined"   // an equal job in flight
	AdmitFinished AdmitKind = "finished" // an equal job with a reusable result
)

// Admission is the answer to a request for a job.
type Admission struct {
	Kind AdmitKind
	Job  InFlightJob // of AdmitFinished only its Job
}

// Admit joins the equal job of a request, and enters its caller and its waiter. Without such a job
// it creates one if create is set; Enqueue puts that into its queue.
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
		if a.Job.Job, err = s.finishedJob(j.ID, reply); err != nil { // of another version
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

// finishedJob reads a reply {"finished", record} or {"large", head, length} of a script.
func (s *Store) finishedJob(id string, reply []any) (Job, error) {
	if text(reply, 0) == "large" {
		length, _ := reply[2].(int64)
		return s.large(id, []byte(text(reply, 1)), length)
	}
	return unpack(id, []byte(text(reply, 1)))
}

// readInFlightJob reads the values of inFlightFields.
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
		v.Group = v.Caller // submitted by the version before groups
	}
	return v
}

func readProgress(s string) (p tools.Progress) {
	if s != "" {
		_ = json.Unmarshal([]byte(s), &p) // invalid progress is ignored
	}
	return p
}

// Withdraw deletes a job of this process that could not be enqueued.
func (s *Store) Withdraw(ctx context.Context, v InFlightJob) {
	// No ticket is the job's own: Remove would delete the ticket of another job.
	if _, err := s.removePending(ctx, v); err != nil {
		s.log.Debug("a stale job remains in the queue until its turn", "job", v.ID, "error", err)
	}
	keys := []string{JobKey(v.ID), WaitersKey(v.ID)}
	if err := withdrawScript.Run(ctx, s.rdb, keys, v.Task).Err(); err != nil {
		s.log.Warn("a job that could not be enqueued remains", "job", v.ID, "error", err)
	}
	s.ReleaseSlots(ctx, v.ID, v.Caller, v.Share)
}

// Lookup returns the state of a job, and renews the waiters of tokens. Of a finished job only Job
// is set. Errors: ErrJobNotFound, *DroppedError.
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

// Runs returns the pool, the priority, the group and the number of runs of a job in flight.
func (s *Store) Runs(
	ctx context.Context, id string,
) (pool string, p Priority, group string, runs int, err error) {
	f, err := s.rdb.HMGet(ctx, JobKey(id), "pool", "class", "caller", "runs").Result()
	return text(f, 0), Priority(text(f, 1)), text(f, 2), int(number(f, 3)), unavailable(err)
}

// Membership returns the times at which a caller joined and left a job. left is zero for a caller
// that has not left. Both are zero if the caller has not joined.
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

// CancelResult is the answer to a cancellation.
type CancelResult string

// The answers to a cancellation; "" when the job is finished, unknown, detached or has other
// waiters.
const (
	CancelDone     CancelResult = "cancelled"
	CancelLeft     CancelResult = "left"     // the job continues for other callers
	CancelStranger CancelResult = "stranger" // the caller has not submitted or joined the job
)

// CancelledFailure is the Outcome.Failure of a cancelled job.
const CancelledFailure = "The job was cancelled."

// Cancel cancels a job; with a token if that is its last waiter, with a caller if that is its last
// caller.
func (s *Store) Cancel(ctx context.Context, j Job, token, caller string) (CancelResult, error) {
	ttl := s.opt.ResultTTL
	record, err := pack(j.Finish(Cancelled, Outcome{Failure: CancelledFailure}, s.now(), ttl))
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

// StopEarly requests the run of a job to end early. It returns false when the job is not running,
// or another caller has joined it.
func (s *Store) StopEarly(ctx context.Context, id, caller string) (bool, error) {
	keys := []string{JobKey(id), CallersKey(id)}
	n, err := stopEarlyScript.Run(ctx, s.rdb, keys, caller, id, string(EventCancel)).Int()
	return n == 1, unavailable(err)
}

// FailQueued ends a queued job. It returns false when the job has finished or moved meanwhile.
func (s *Store) FailQueued(ctx context.Context, v InFlightJob, o Outcome) (Job, bool, error) {
	j := v.Finish(Failed, o, s.now(), s.opt.ResultTTL)
	record, err := pack(j)
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

// TakeSlot takes a slot of a caller for a job, if the caller has fewer than most jobs in flight. A
// slot that is not released expires; timeout is that of a run.
func (s *Store) TakeSlot(
	ctx context.Context, caller, id string, most int, timeout time.Duration,
) (bool, error) {
	n, err := chargeScript.Run(ctx, s.rdb, []string{CallerKey(caller)},
		id, most, s.jobTTL(timeout).Milliseconds()).Int()
	return n == 1, unavailable(err)
}

// ReleaseSlots releases a job's slots of callers and its input. Entries left behind expire.
func (s *Store) ReleaseSlots(ctx context.Context, id string, callers ...string) {
	s.ReleaseInput(ctx, id)
	s.RefundSlots(ctx, id, callers...)
}

// RefundSlots releases a job's slots of callers; "" is skipped.
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
