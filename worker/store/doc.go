// Package store keeps jobs, queues, results and workers in Redis. Store has one method per Lua
// script or command, like package rdb of asynq. It makes no decision that depends on a request, a
// waiter or a running computation. Package worker uses it in both Client and Server.
//
// Redis is authoritative. A job has at most one of two keys. A job in flight is a hash whose field
// task names the only task that may run it; a task with another name ends. A finished job is a
// record. The first record stored wins; the same script deletes the hash and publishes the id.
// Messages and permits are hints and may be lost. A job is pending if the set of pending jobs
// contains its task. The lists that determine the order may contain other jobs, which are skipped.
//
// asynq only delivers permits to workers. Its retries are for errors of Redis and workers of
// another version, not for crashes. It retains and archives nothing. Of its keys, this package
// reads only the pending lists, the size of the retry sets and the mark of a paused queue.
//
//	slipstick:job:{id}       hash     the job in flight: input, state, task, runs, progress, keep
//	slipstick:result:{id}    string   the finished job: state, encoding, head, result
//	slipstick:beat:{id}      string   TTL 8 s, renewed every 2 s by the worker that runs the job
//	slipstick:warnings:{id}  hash     warnings about each caller's own request (warnings.go)
//	slipstick:waiters:{id}   zset     waiters, each until it expires (10 s, renewed every second)
//	slipstick:callers:{id}   hash     its callers, and the times at which each joined and left
//	slipstick:caller:{name}  zset     a group's or caller's unfinished jobs, for its limit
//	slipstick:pending:{pool-class}         zset  the pending jobs' tasks, by the time of queuing
//	slipstick:pending:{pool-class}:caller  list  a caller's pending tasks, in order
//	slipstick:turns:{pool-class}           zset  callers with pending jobs, by their turn
//	slipstick:served:{pool-class}          zset  callers served lately, by their next turn
//	slipstick:taken:{pool-class}           zset  dequeued tasks, by their worker's last heartbeat
//	slipstick:audit:, :shortage:{pool-class}  string  the last audit; missing permits
//	slipstick:workers:{pool} zset     living workers, their slots and mean run time
//	slipstick:parked, :parked:{id}   zset and hashes: dead jobs with their input, for a week
//	asynq:{pool-class}:...            asynq's queues: spice-paid, spice-free, spice-anonymous, ...
//
//	slipstick:done, :progress, :cancel, :work, :left    channels (events.go)
//
//	slipstick:incoming:{id}  string   a large record before it is stored
//	slipstick:{results}:...           the account of stored results (results.go)
//	slipstick:{inputs}:...            the account of inputs (inputs.go)
//	slipstick:probe          string   the test write (memory.go)
//
// Stored results have a byte budget, in total and per caller. The oldest are evicted first; a mark
// with the reason remains for two minutes. A large result stays in Redis until it is read, and is
// decompressed while it is read (readresult.go).
package store
