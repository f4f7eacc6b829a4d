// Package batch computes many runs of one tool: sweeps, Monte Carlo, Latin hypercube and Sobol
// designs, goal seek and optimization.
//
// NewPlan validates a Request against its tool and returns a Plan, which provides the input of
// every run by its index. An input depends only on the request and the index, so any process can
// compute any part of a batch. Compute computes a run and keeps only the collected values.
// Summarize computes statistics of the columns. Execute runs a complete batch in one process.
// WriteCSV, WriteNDJSON and WriteReport write the rows and statistics, and Figure draws them.
//
// ChunkTools returns the tools with which workers compute consecutive runs of a batch. Package
// service distributes a batch over workers.
//
// Solve, minimize and maximize select their runs in rounds (Search). The points of a round depend
// only on the values of earlier rounds.
package batch
