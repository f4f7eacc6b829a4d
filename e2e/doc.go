// Package e2e tests the complete program: it builds the binary, starts it as a user or operator
// would, and sends HTTP requests to it. It contains only tests.
package e2e
