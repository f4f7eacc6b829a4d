// Package worker runs the queued tools. Client submits jobs, waits for them, watches and cancels
// them, and implements Queue; its Inspector serves operators. Server runs jobs in child processes.
// Local is a Queue without Redis for a single user. Package store keeps jobs and results in Redis.
// Package pool runs computations and does not depend on the queue.
//
// # States of a job
//
// A job is a computation, not a request. Its id is a hash of tool, version and canonical input, so
// equal requests of all callers share one run.
//
//	Submit ──> queued ──────> running ──────> done       the tool returned a result
//	             │  ^           │  │    ├───> rejected   the tool rejected the input
//	             │  │           │  │    └───> failed     three crashes, or the time limit
//	             │  └───────────┘  │
//	             │   worker died,  │
//	             │   or shut down  │
//	             ├──> failed       │          no free worker within QueueTimeout
//	             └────────┬────────┘
//	                      └─────────────────> cancelled  the last caller or the last waiter left
//
// The state rejected is "refused" in Redis and in the API. The last four states are final and kept
// for ResultTTL. During this time, done and rejected jobs serve equal requests; a new run replaces
// failed and cancelled jobs. Each calling process caches small results and serves repeated
// requests of a caller without Redis.
//
// The only caller of a running job may stop it early (Client.StopEarly). A tool that supports this
// (tools.Heavy.SupportsEarlyStop) then ends soon with its best result so far. The job is done, but
// its result serves no other request.
//
// # Fairness
//
// Each pool has a queue per priority; asynq serves the priorities by weight. Within a queue,
// callers are served round-robin. An address with its free keys, or the paid keys of one subject,
// is one caller (SubmitOptions.Group). The queues of asynq are first in, first out, so its tasks
// carry no job: they are permits, one per pending job. A worker that receives a permit runs a
// script that dequeues the first job of the caller whose turn it is.
//
// A served caller ranks behind callers that arrive in the next five minutes. The next free slot
// thus goes to a caller that has had none. A caller that joins a pending job also adds it to its
// own list. If the caller has a higher priority, it moves the job to that priority. A group may
// have at most MaxInFlightPerCaller unfinished jobs, regardless of which of its keys submitted
// them.
//
// Chunks of batches have the lowest priority. A permit of a batch first takes a waiting job of any
// other priority in the pool. If such a job waits and a worker has no free slot, the worker stops a
// chunk early. The chunk then returns the rows that it has.
//
// # Failures
//
// If a tool panics, exhausts the memory of its child or ends its process, the child is replaced.
// The worker repeats the job immediately, up to three runs in all. Then the job fails and is stored
// with its input as a dead job for the operator (Inspector.DeadJobs, Inspector.Retry).
//
// If a tool ignores its deadline or a cancellation, the child is killed 200 ms later and its slot
// becomes free. Without ServerOptions.Child the tool runs in process and cannot be killed. The
// caller then gets its result, but the slot remains occupied until the tool returns.
//
// If a worker dies, its heartbeats stop. A process that polls the job detects this 6 to 8 s later.
// It enqueues the job under a new task, ahead of its caller's other jobs. Each worker audits the
// queues every two seconds and enqueues a job that no process polls 10 to 12 s after the last
// heartbeat. The same applies if a worker dies between dequeuing a job and beginning it. If it dies
// between receiving a permit and dequeuing a job, the audit adds the missing permit. A worker that
// was only disconnected resumes the job unless another worker has begun it. A job fails if the
// workers of three of its runs have died.
//
// A worker that is shut down begins no more jobs and lets running jobs continue for
// ShutdownTimeout. It hands the remaining jobs back to other workers without counting the run.
// Callers see the states running, queued, running.
//
// Workers of two versions may run concurrently. A worker that lacks the version of a job's tool
// puts the job back for up to 90 s, then fails it. A worker of a version without permits returns
// them to asynq. A worker of this version also runs the tasks of clients without permits.
//
// If a calling process dies, its waiters expire within 10 s. The job runs to its end, and an equal
// request to another process joins it or finds its result. If the process died between creating a
// job and enqueuing it, the next process that polls the job enqueues it. If it died before adding
// the permit, an audit adds the permit.
//
// If Redis is unavailable, Submit, Get and Cancel return ErrUnavailable within two seconds, and
// waits continue up to their time limit. Running jobs continue, and their results wait for Redis
// for one minute.
//
// If Redis has no memory left, every process evicts the oldest results and tries again. If there
// are no results to evict, Submit returns a *BusyError.
//
// If Redis restarts without its data, workers restore their running jobs with the next heartbeat.
// After five seconds, processes whose callers wait for queued jobs resubmit them. The other jobs
// are lost, and Get returns ErrJobNotFound.
//
// If the last waiter of a job leaves, the job is cancelled unless it is detached by respond-async
// or by a bounded wait that ended. If a caller leaves (Cancel), its waits end and the job is
// cancelled for it; the last caller to leave cancels the job for all. A job records up to 100
// callers and continues after they leave if it has more. A cancelled job is final at once; a
// message or the reply to the next heartbeat notifies its worker.
package worker
