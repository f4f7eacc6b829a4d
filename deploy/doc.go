// Package deploy holds what an operator needs to run the service on real machines. It has
// no code: container, orchestration and monitoring files will stand here. Until then,
// "slipstick api" and "slipstick worker" are configured by flags and environment alone.
package deploy
