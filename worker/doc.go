// Package worker runs the heavy tools: it puts a job on a Redis queue, lets the caller wait
// for it, and on the other side takes jobs and computes them in child processes. Client is the
// caller's side (it implements Queue), Server the worker's, RunChild the child's. StartEmbedded
// gives both a Redis inside the process; nothing else changes.
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
//	                      └─────────────────> cancelled  on request, or the last waiter left
//
// The last four are final and kept for ResultTTL; done and refused answer equal requests during
// that time, failed and cancelled make way for a new run. Small ones are also kept in the
// memory of each calling process, which answers a repeated request without asking Redis.
//
// A caller who is alone with a running job may have had enough (Client.Enough): a tool that can
// (tools.Heavy.Anytime) then ends soon with the best it has. The job is done, but its result
// answers nobody else: it makes way too.
//
// # Who is authoritative
//
// Redis, and in it two keys a job, of which one at most exists. A job in flight is a hash; its
// field task names the one asynq task that may run it, and a task that finds another name there
// steps aside. A finished job is a record; the first one stored wins, and storing it removes
// the hash and publishes the id in the same script. Everything else is a hint: messages may be
// lost, because waiters read again every second and runs ask with every beat whether they are
// still wanted. asynq only carries task names from the client to some worker. Its retries serve
// trouble with Redis, not crashes; it retains and archives nothing; of its keys only the length
// of the pending lists and the mark of a paused queue are read.
//
//	slipstick:job:{id}       hash     the job in flight: input, state, task, runs, progress, keep
//	slipstick:result:{id}    string   the finished job: state, encoding, head, result (record.go)
//	slipstick:beat:{id}      string   lives 8 s, renewed every 2 s by the worker that runs the job
//	slipstick:waiters:{id}   zset     who waits, each until it expires (10 s, renewed every second)
//	slipstick:caller:{name}  zset     a caller's unfinished jobs, for the cap
//	slipstick:workers:{pool} zset     living workers, their slots and pace, for Retry-After
//	slipstick:parked, :parked:{id}   zset and hashes: crashed jobs with their input, for a week
//	asynq:{pool-class}:...            asynq's queues: spice-paid, spice-free, spice-anonymous, ...
//
//	slipstick:done, :progress, :cancel, :work    channels; see keys.go
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
// with its input for the operator (Client.Parked, Client.Retry).
//
// A tool ignores its deadline or a cancellation: the child is killed 200 ms later and its slot
// is free. In process (no Child) it cannot be killed; the caller has the answer and the slot
// stays taken until the tool returns.
//
// A worker dies: its beats stop. Whoever waits for the job or asks about it finds a running job
// without a beat, 6 to 8 s later, and enqueues it under a new task name. A job nobody asks
// about stays until asynq itself recovers it, after one to two minutes. If the worker was only
// out of touch, it takes the job back as long as no other has begun it; otherwise it stops.
// A job whose runs killed three workers is failed.
//
// A worker is shut down: it takes no more, lets its jobs go on for ShutdownTimeout and hands
// the others back, uncounted, to be begun by another. Callers see running, queued, running.
//
// The calling process dies: its waiters expire within 10 s. The job runs to its end, and the
// same request made elsewhere joins it or finds its result. If it died between noting a job and
// telling asynq, whoever asks next enqueues it.
//
// Redis cannot be reached: Submit, Get and Cancel say ErrUnavailable within two seconds; waits
// go on to their limit. Running jobs go on, and their results wait a minute for Redis.
//
// Redis has no memory left: every process drops the oldest results and tries again; with nothing
// to drop, Submit returns a *BusyError.
//
// Redis comes back without its memory: running jobs are written again by their workers with
// the next beat. Queued ones are submitted again by the processes whose callers still wait for
// them, five seconds later; those nobody waits for are gone, and Get says ErrNoJob.
//
// A caller leaves: the last waiter to leave cancels the job, unless somebody asked to keep it,
// as respond-async and a bounded wait that ran out do. A cancelled job is final at once; its
// worker learns of it by message, or with its next beat.
package worker
