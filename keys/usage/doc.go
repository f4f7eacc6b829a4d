// Package usage counts calls against daily quotas, records the usage of keys, and exports the
// records to the key store.
//
// A Counter commits the counts of the concurrent calls of a process in groups: while one batch is
// on its way to the Store, the next one fills. Every call waits for its batch, so that an answered
// call is a counted call. Before a commit, runnable goroutines run first; with a dozen or more
// calls in flight the commit waits for half of them, for a millisecond at most. The number of
// commits falls as the load grows, and a single call is not delayed.
//
//	Debit, Record, Refund  ->  Batch  ->  Commit  ->  Rotate  ->  AddUsage, Ack
//	    (every call)          (memory)    (durable)    (Exporter, every second)
//
// There are two Stores. Redis serves any number of processes: a batch is one script, so that limits
// are exact over all of them. SQLite serves a service of a single process: a batch is one
// transaction in a file.
//
// # While the Store is unavailable
//
// Calls continue. Each process counts limits on its own, from the last known values, and keeps the
// records in memory; when the Store is available again, both are added to it. A batch without an
// answer is sent again under its number, which the Store remembers, so that nothing is counted
// twice. The counts in memory are lost if the process ends before that.
package usage
