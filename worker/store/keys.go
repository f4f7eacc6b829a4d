package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"slipstick/tools"
)

// The braces of a key are its hash tag: the keys of one job are in one slot of a cluster, so that a
// script may use them together.

// JobKey is the hash of a job in flight.
func JobKey(id string) string { return "slipstick:job:{" + id + "}" }

// ResultKey is the record of a finished job.
func ResultKey(id string) string { return "slipstick:result:{" + id + "}" }

// HeartbeatKey exists while the worker of a running job lives.
func HeartbeatKey(id string) string { return "slipstick:beat:{" + id + "}" }

// WaitersKey is the set of a job's waiters.
func WaitersKey(id string) string { return "slipstick:waiters:{" + id + "}" }

// CallersKey is the hash of a job's callers with the time [ms] at which each joined. The value of a
// caller who left is a dash, the time of that, a dash and the time of joining.
func CallersKey(id string) string { return "slipstick:callers:{" + id + "}" }

// CallerKey is the set of a caller's jobs in flight.
func CallerKey(caller string) string { return "slipstick:caller:{" + caller + "}" }

// WarningsKey is the hash of the warnings on a job's requests, by caller.
func WarningsKey(id string) string { return "slipstick:warnings:{" + id + "}" }

func workersKey(pool string) string { return "slipstick:workers:{" + pool + "}" }

// QueueName is the asynq queue of a pool and priority.
func QueueName(pool string, p Priority) string { return pool + "-" + string(p) }

// TicketsKey is asynq's own list of waiting tasks. It is only measured, never changed:
// Inspector.GetQueueInfo costs four times as much, and on miniredis thirty times.
func TicketsKey(queue string) string { return "asynq:{" + queue + "}:pending" }

// pausedKey is asynq's own mark of a paused queue. It is only read.
func pausedKey(queue string) string { return "asynq:{" + queue + "}:paused" }

// JobID is the identity of a computation: equal requests of all callers are one job.
func JobID(tool *tools.Tool, canonical json.RawMessage) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool.Name), []byte(tool.Version), canonical} {
		h.Write(part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Nonce returns 48 random bits in hexadecimal: a name for a waiter, a process or a task of a job.
func Nonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the program instead
	return hex.EncodeToString(b[:])
}

// nextTask returns a task name for a further try of a job.
func nextTask(id string) string { return id + "." + Nonce() }

// JobOfTask returns the id of the job of a task.
func JobOfTask(task string) string {
	id, _, _ := strings.Cut(task, ".")
	return id
}
