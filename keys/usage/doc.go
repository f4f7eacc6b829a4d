// Package usage counts calls: how many an account took from its day, and what each key used.
//
// A Counter gathers the counts of the concurrent calls of this process and commits them in
// groups: while one batch is on its way to the Store, the next one fills. Every caller waits for
// the batch that holds its count, so an answered call is a counted call. Before a batch is
// committed, calls that can run at once are let run, and where a dozen or more callers are under way,
// half of them are waited for, for a millisecond at most: the busier the process, the fewer
// and the larger its commits, and a lone call waits for nobody.
//
//	Debit, DebitAndRecord, Record, Refund  ->  batch  ->  Commit  ->  Rotate  ->  AddUsage, Ack
//	   (every call)        (memory)     (durable)      (keys/meter, every second)
//
// There are two Stores. Redis serves any number of processes: a batch is one script, so limits
// are exact over all of them. SQLite is for a service that is one process: a batch is one
// transaction in a file that survives it.
//
// # When the Store cannot be reached
//
// Calls go on. Each process then counts the limits by itself, from zero, and holds what keys
// used in memory; when the Store is back, both are added to it. A batch whose fate is not known
// is sent again under its old number, which the Store remembers, so nothing is counted twice.
// What a process holds in memory is lost if the process ends before the Store is back.
package usage
