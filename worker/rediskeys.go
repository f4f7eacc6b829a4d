package worker

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"slipstick/tools"
)

// Channels. Messages, but for work's, carry a job id; progress carries the id, a space and the progress as
// JSON. Pub/sub ignores database numbers, so a message is a hint to look, never a command.
const (
	doneChannel     = "slipstick:done"
	progressChannel = "slipstick:progress"
	cancelChannel   = "slipstick:cancel"
	workChannel     = "slipstick:work" // carries a pool: there is a ticket for it
	leftChannel     = "slipstick:left" // carries a job id, a space and the caller who left the job
)

// The braces put all keys of a job in one slot of a cluster, so that a script may touch them.
func metaKey(id string) string      { return "slipstick:job:{" + id + "}" }
func resultKey(id string) string    { return "slipstick:result:{" + id + "}" }
func heartbeatKey(id string) string { return "slipstick:beat:{" + id + "}" }
func waitersKey(id string) string   { return "slipstick:waiters:{" + id + "}" }

// callersKey holds when each caller joined a job [ms]; of a caller who left it, a dash, when that
// was, another dash and when the caller had joined.
func callersKey(id string) string { return "slipstick:callers:{" + id + "}" }

func callerKey(caller string) string { return "slipstick:caller:{" + caller + "}" }
func workersKey(pool string) string  { return "slipstick:workers:{" + pool + "}" }

// queueName is the asynq queue of a pool and class.
func queueName(pool string, class Priority) string { return pool + "-" + string(class) }

// pendingKey is asynq's own list of waiting tasks. It is only measured, never changed:
// Inspector.GetQueueInfo costs four times as much, and on miniredis thirty times.
func pendingKey(queue string) string { return "asynq:{" + queue + "}:pending" }

// pausedKey is asynq's own mark of a queue whose tasks are not begun. It is only read.
func pausedKey(queue string) string { return "asynq:{" + queue + "}:paused" }

// jobID is the identity of a computation: equal requests are one job, whoever asks.
func jobID(tool *tools.Tool, canonical json.RawMessage) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool.Name), []byte(tool.Version), canonical} {
		h.Write(part)
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// nonce is a short unguessable name for a waiter, a process or another task of a job.
func nonce() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails: the runtime ends the program instead
	return hex.EncodeToString(b[:])
}

// anotherTask derives a task id for a further try at a job.
func anotherTask(id string) string { return id + "." + nonce() }
