// Package worker runs the heavy tools: it puts a job on a Redis queue, lets the caller wait
// for it, and on the other side takes jobs and computes them in child processes. Client is the
// caller's side (it implements Queue), Server the worker's, RunChild the child's. StartEmbedded
// gives both a Redis inside the process; nothing else changes. Local is a Queue for one user, without
// Redis or workers.
//
// # The life of a job
//
// A job is a computation, not a request: its id is a hash of tool, version and canonical input,
// so equal requests share one run, whoever makes them.
//
//	Submit ──> queued ──────> running ──────> done       the tool answered
//	             │  ^           │  │    ├───> refused    the tool found the input wrong
//	             │  │           │  │    └───> failed     crashed three times, or ran out of time
//	             │  └───────────┘  │
//	             │   worker died,  │
//	             │   or shut down  │
//	             ├──> failed       │          no worker became free within QueueTimeout
//	             └────────┬────────┘
//	                      └─────────────────> cancelled  the last caller or the last waiter left
//
// The last four are final and kept for ResultTTL; done and refused answer equal requests during
// that time, failed and cancelled make way for a new run. Small ones are also kept in the
// memory of each calling process, which answers a repeated request without asking Redis.
//
// A caller who is alone with a running job may have had enough (Client.StopEarly): a tool that can
// (tools.Heavy.SupportsEarlyStop) then ends soon with the best it has. The job is done, but its result
// answers nobody else: it makes way too.
//
// # Whose turn it is
//
// Each pool has a queue per class; asynq serves the classes by weight. Within a queue callers are
// served round-robin, where an address and its free keys, or the paid keys of one subject, are one
// caller (Submission.Group). asynq's queues are first in, first out, so its tasks carry no job:
// they are tickets, one per pending job. A worker that gets a ticket dequeues, by one script,
// the first job of the caller whose turn it is. A caller who was served stands behind those who
// arrive in the next minutes (turnMemory), so that the next free slot goes to a caller who has had
// none. A caller who joins a pending job gives it a place among its own jobs too, or in its own,
// better class. A group may have MaxInFlightPerCaller unfinished jobs, whichever of its keys began them.
//
// # Who is authoritative
//
// Redis, and in it two keys a job, of which one at most exists. A job in flight is a hash; its
// field task names the one task that may run it, and a task that finds another name there
// steps aside. A finished job is a record; the first one stored wins, and storing it removes
// the hash and publishes the id in the same script. Everything else is a hint: messages may be
// lost, because waiters read again every second and runs ask with every beat whether they are
// still wanted. A job is pending when the set of pending jobs has its task; the lists that give
// the order may name others, which are skipped. asynq only carries tickets to some worker. Its
// retries serve trouble with Redis and workers of another version, not crashes; it retains and
// archives nothing; of its keys only the pending lists, the size of the retry sets and the mark
// of a paused queue are read.
//
//	slipstick:job:{id}       hash     the job in flight: input, state, task, runs, progress, keep
//	slipstick:result:{id}    string   the finished job: state, encoding, head, result (record.go)
//	slipstick:beat:{id}      string   lives 8 s, renewed every 2 s by the worker that runs the job
//	slipstick:warnings:{id}  hash     what each caller is told of its own request (warnings.go)
//	slipstick:waiters:{id}   zset     who waits, each until it expires (10 s, renewed every second)
//	slipstick:callers:{id}   hash     who submitted or joined it, and when; and who left
//	slipstick:caller:{name}  zset     a group's unfinished jobs, for the cap
//	slipstick:pending:{pool-class}         zset  the pending jobs' tasks, by when they were queued
//	slipstick:pending:{pool-class}:caller  list  a caller's pending tasks, in order
//	slipstick:turns:{pool-class}           zset  callers with pending jobs, by whose turn is next
//	slipstick:served:{pool-class}          zset  callers served lately, by their next turn
//	slipstick:taken:{pool-class}           zset  dequeued tasks, by the last sign of their worker
//	slipstick:audit:, :shortage:{pool-class}  string  the last audit of the queue
//	slipstick:workers:{pool} zset     living workers, their slots and pace, for Retry-After
//	slipstick:parked, :parked:{id}   zset and hashes: crashed jobs with their input, for a week
//	asynq:{pool-class}:...            asynq's queues: spice-paid, spice-free, spice-anonymous, ...
//
//	slipstick:done, :progress, :cancel, :work, :left    channels; see keys.go
//
//	slipstick:incoming:{id}  string   a large record on its way to its place
//	slipstick:{results}:...           the account of stored results: resultstore.go
//	slipstick:{inputs}:...            the account of inputs: inputs.go
//	slipstick:probe          string   the test write: memory.go
//
// The scripts, each with its contract, are in scripts.go and beside what they are for.
//
// Stored results have a byte budget, in total and per caller, and the oldest are dropped first; a
// mark tells for two minutes why. A large result stays in Redis until it is read, and is unpacked
// as the reader reads (readresult.go).
//
// # What happens when something fails
//
// A tool panics, exhausts its child's memory or ends its process: the child is replaced and the
// worker begins the job again at once, up to three runs in all. Then it is failed, and parked
// with its input for the operator (Client.DeadJobs, Client.Retry).
//
// A tool ignores its deadline or a cancellation: the child is killed 200 ms later and its slot
// is free. In process (no Child) it cannot be killed; the caller has the answer and the slot
// stays taken until the tool returns.
//
// A worker dies: its beats stop. A process that waits for the job or is asked about it finds a
// running job without a beat, 6 to 8 s later, and enqueues it under a new task name, before its
// caller's other jobs. For a job that no process asks about a living worker does so, 10 to 12 s
// after the last beat: each audits the queues every two seconds. The same holds for a worker
// that dies between dequeuing a job and beginning it. One that dies between its ticket and the
// job leaves a pending job without a ticket, which the audit adds. If the worker was only out of
// touch, it takes the job back as long as no other has begun it; otherwise it stops. A job whose
// runs killed three workers is failed.
//
// A worker is shut down: it takes no more, lets its jobs go on for ShutdownTimeout and hands
// the others back, uncounted, to be begun by another. Callers see running, queued, running.
//
// Processes of two versions run side by side: a worker that does not know the version of a job's
// tool puts the job back, for up to staleVersionPatience. A worker of the version before tickets
// returns tickets to asynq, and a worker of this version runs the tasks of the clients before.
//
// The calling process dies: its waiters expire within 10 s. The job runs to its end, and the
// same request made elsewhere joins it or finds its result. If it died between noting a job and
// enqueuing it, the next process that asks about it does; if before its ticket, an audit adds one.
//
// Redis cannot be reached: Submit, Get and Cancel say ErrUnavailable within two seconds; waits
// go on to their limit. Running jobs go on, and their results wait a minute for Redis.
//
// Redis has no memory left: every process drops the oldest results and tries again; with nothing
// to drop, Submit returns a *BusyError.
//
// Redis comes back without its memory: running jobs are written again by their workers with
// the next beat. Queued ones are submitted again by the processes whose callers still wait for
// them, five seconds later; those nobody waits for are gone, and Get says ErrJobNotFound.
//
// A waiter leaves: the last one to leave cancels the job, unless a caller asked to keep it,
// as respond-async and a bounded wait that ran out do. A caller leaves (Cancel): its waits end, it
// finds the job cancelled from then on, and the last caller to leave cancels it. A job keeps the
// names of 100 callers; with more it goes on whoever leaves. A cancelled job is final at once; its
// worker learns of it by message, or with its next beat.
package worker
