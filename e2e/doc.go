// Package e2e tests the whole program from outside: it builds the binary, starts it as a user
// or an operator would, and talks to it over HTTP. It holds tests only.
package e2e
