package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"slipstick/tools"
)

// The braces in a key mark its hash tag. All keys of a job share one hash slot of a cluster, as
// scripts require.

// JobKey returns the key of the hash of a job in flight.
func JobKey(id string) string { return "slipstick:job:{" + id + "}" }

// ResultKey returns the key of the record of a finished job.
func ResultKey(id string) string { return "slipstick:result:{" + id + "}" }

// HeartbeatKey returns the key that exists while the worker of a running job is alive.
func HeartbeatKey(id string) string { return "slipstick:beat:{" + id + "}" }

// WaitersKey returns the key of the set of a job's waiters.
func WaitersKey(id string) string { return "slipstick:waiters:{" + id + "}" }

// CallersKey returns the key of the hash of a job's callers. A value is the time [ms] at which the
// caller joined. If the caller has left, it is a dash, the time of leaving, a dash and the time of
// joining.
func CallersKey(id string) string { return "slipstick:callers:{" + id + "}" }

// CallerKey returns the key of the set of a caller's jobs in flight.
func CallerKey(caller string) string { return "slipstick:caller:{" + caller + "}" }

// WarningsKey returns the key of a job's hash from callers to the warnings about their requests.
func WarningsKey(id string) string { return "slipstick:warnings:{" + id + "}" }

func workersKey(pool string) string { return "slipstick:workers:{" + pool + "}" }

// QueueName returns the asynq queue of a pool and priority.
func QueueName(pool string, p Priority) string { return pool + "-" + string(p) }

// PermitsKey returns the key of asynq's list of pending tasks. Its length is read directly because
// Inspector.GetQueueInfo costs four times as much, and thirty times on miniredis. This package
// never modifies the list directly.
func PermitsKey(queue string) string { return "asynq:{" + queue + "}:pending" }

// pausedKey returns the key that asynq sets for a paused queue. This package only reads it.
func pausedKey(queue string) string { return "asynq:{" + queue + "}:paused" }

// JobID returns the id of a computation. Equal requests of all callers have the same id.
func JobID(tool *tools.Tool, canonical json.RawMessage) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool.Name), []byte(tool.Version), canonical} {
		h.Write(part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Nonce returns 48 random bits in hexadecimal, which name a waiter, a process or a task of a job.
func Nonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime crashes the program instead
	return hex.EncodeToString(b[:])
}

// nextTask returns a task name for another attempt at a job.
func nextTask(id string) string { return id + "." + Nonce() }

// JobOfTask returns the job id in a task name.
func JobOfTask(task string) string {
	id, _, _ := strings.Cut(task, ".")
	return id
}
