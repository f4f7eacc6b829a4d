// Package batch computes many runs of one tool: sweeps, Monte Carlo, Latin hypercube and Sobol
// designs, goal seek and optimization.
//
// A Request becomes a Plan, which validates it against the tool and gives the input of every run
// by its index. A run's input depends on the request and the index alone, so any process may
// compute any part of a batch. Compute computes a range of runs and keeps the collected values
// only. Summarize computes statistics of the columns. Execute runs a whole batch in one process.
//
// Solve, minimize and maximize choose their runs in rounds (Search): the points of a round depend
// on the values of the rounds before it, and on nothing else.
package batch
