// Package keystest opens key services for the tests of the packages that use them. Only tests
// import it.
package keystest

import (
	"testing"

	"slipstick/keys"
	"slipstick/keys/sqlite"
)

// NewService returns a key service over an empty store in memory.
func NewService(t testing.TB) *keys.Service {
	t.Helper()
	store, err := sqlite.Open(t.Context(), sqlite.Memory)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	s, err := keys.NewService(t.Context(), keys.ServiceOptions{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
