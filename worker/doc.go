// Package worker runs the queued tools. Client is the caller's side: it submits jobs, waits for
// them, watches and cancels them, and implements Queue; its Inspector serves operators. Server is
// the worker's side, which runs jobs in child processes. Local is a Queue without Redis for a
// single user. Package store keeps jobs and results in Redis; package pool runs computations and
// knows no queue.
//
// # States of a job
//
// A job is a computation, not a request: its id is a hash of tool, version and canonical input, so
// that equal requests of all callers share one run.
//
//	Submit ──> queued ──────> running ──────> done       the tool returned a result
//	             │  ^           │  │    ├───> refused    the tool rejected the input
//	             │  │           │  │    └───> failed     three crashes, or the time limit
//	             │  └───────────┘  │
//	             │   worker died,  │
//	             │   or shut down  │
//	             ├──> failed       │          no free worker within QueueTimeout
//	             └────────┬────────┘
//	                      └─────────────────> cancelled  the last caller or the last waiter left
//
// The last four are final and kept for ResultTTL. Done and refused answer equal requests during
// that time; failed and cancelled are replaced by a new run. Each calling process caches small
// results and answers repeated requests of a caller without Redis.
//
// The only caller of a running job may stop it early (Client.StopEarly). A tool that supports it
// (tools.Heavy.SupportsEarlyStop) then ends soon with its best result so far. The job is done, but
// its result answers no other request.
//
// # Fairness
//
// Each pool has a queue per priority; asynq serves the priorities by weight. Within a queue,
// callers are served round-robin; an address with its free keys, or the paid keys of one subject,
// is one caller (SubmitOptions.Group). asynq's queues are first in, first out, so its tasks carry
// no job: they are tickets, one per pending job. A worker that receives a ticket dequeues, by one
// script, the first job of the caller whose turn it is. A served caller comes after callers who
// arrive in the next five minutes, so that the next free slot goes to a caller who has had none. A
// caller who joins a pending job enters it in its own list too, or moves it to its own, higher
// priority. A group may have MaxInFlightPerCaller unfinished jobs, whichever of its keys submitted
// them.
//
// Chunks of batches come last. A ticket of a batch takes a waiting job of the pool with any other
// priority. When such a job waits and a worker has no free slot, the worker stops a chunk early,
// which then returns the rows that it has.
//
// # Failures
//
// A tool panics, exhausts its child's memory or ends its process: the child is replaced and the
// worker begins the job again at once, up to three runs in all. Then the job is failed, and kept
// with its input as a dead job for the operator (Inspector.DeadJobs, Inspector.Retry).
//
// A tool ignores its deadline or a cancellation: the child is killed 200 ms later and its slot is
// free. In process (no Child) it cannot be killed; the caller has the answer and the slot is taken
// until the tool returns.
//
// A worker dies: its heartbeats stop. A process that polls the job finds it running without a
// heartbeat, 6 to 8 s later, and enqueues it under a new task, before its caller's other jobs. A
// job that no process polls is enqueued by a living worker 10 to 12 s after the last heartbeat:
// each worker audits the queues every two seconds. The same holds for a worker that dies between
// dequeuing a job and beginning it. A worker that dies between its ticket and the job leaves a
// pending job without a ticket, which the audit adds. A worker that was only disconnected takes the
// job back unless another has begun it, and stops otherwise. A job whose runs ended three workers
// is failed.
//
// A worker is shut down: it begins no more jobs, lets running ones continue for ShutdownTimeout and
// hands the others back, uncounted, to another worker. Callers see running, queued, running.
//
// Workers of two versions run side by side: a worker that lacks the version of a job's tool puts
// the job back, for up to staleVersionPatience. A worker of the version before tickets returns
// tickets to asynq, and a worker of this version runs the tasks of the clients before.
//
// A calling process dies: its waiters expire within 10 s. The job runs to its end; an equal request
// to another process joins it or finds its result. If the process died between creating a job and
// enqueuing it, the next process that polls it does; if before its ticket, an audit adds one.
//
// Redis is unavailable: Submit, Get and Cancel return ErrUnavailable within two seconds; waits
// continue to their limit. Running jobs continue, and their results wait a minute for Redis.
//
// Redis has no memory left: every process evicts the oldest results and tries again; when there are
// none, Submit returns a *BusyError.
//
// Redis comes back without its data: workers write their running jobs again with the next
// heartbeat. Queued jobs are submitted again, five seconds later, by the processes whose callers
// wait for them; the others are lost, and Get returns ErrJobNotFound.
//
// A waiter leaves: the last one to leave cancels the job, unless it is detached by respond-async or
// by a bounded wait that ended. A caller leaves (Cancel): its waits end, the job is cancelled for
// it, and the last caller to leave cancels it for all. A job records 100 callers; with more it
// continues when they leave. A cancelled job is final at once; its worker learns of it by message,
// or with its next heartbeat.
package worker
