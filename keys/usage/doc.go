// Package usage counts calls against daily quotas, records the usage of keys, and exports the
// records to the key store.
//
// A Counter commits the counts of concurrent calls in groups: while one batch is on its way to the
// Store, the next batch fills. Every call waits for its batch, so every answered call is counted.
// Before a commit, the Counter yields to runnable goroutines. With a dozen or more calls in flight,
// the commit waits for half of them, for at most one millisecond. A higher load therefore needs
// fewer commits per call, and a single call is not delayed.
//
//	Debit, Record, Refund  ->  Batch  ->  Commit  ->  Rotate  ->  AddUsage, Ack
//	    (every call)          (memory)    (durable)    (Exporter, every second)
//
// There are two Stores. Redis serves any number of processes. A batch is one script, so limits are
// exact across all processes. SQLite serves a service that consists of a single process. A batch is
// one transaction in a file.
//
// # While the Store is unavailable
//
// Calls continue. Each process counts limits locally, starting from the last known values, and
// keeps the records in memory. It adds both to the Store when the Store is available again. A batch
// without a reply is sent again under its number. The Store remembers the number, so nothing is
// counted twice. The counts in memory are lost if the process ends before that.
package usage
