package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"slipstick/keys"
	"slipstick/keys/sqlite"
	"slipstick/keys/storetest"
)

func open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStoreInMemory(t *testing.T) {
	storetest.Run(t, func(t *testing.T) keys.Store { return open(t, sqlite.Memory) })
}

func TestStoreInFile(t *testing.T) {
	storetest.Run(t, func(t *testing.T) keys.Store {
		return open(t, filepath.Join(t.TempDir(), "keys.db"))
	})
}

func TestFileIsKept(t *testing.T) {
	// Characters that have a meaning in URLs must be valid in a path.
	dir := filepath.Join(t.TempDir(), "a?b#c%20d e")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "keys.db")
	s := open(t, path)
	if err := s.Insert(t.Context(), keys.Record{Hash: [32]byte{7}, Prefix: "sl_000000001",
		Tier: keys.Free, ExpiresAt: time.Now().Add(time.Hour)}, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path); err == nil ||
		!strings.Contains(err.Error(), "in use") {
		t.Errorf("opened twice: %v", err)
	}
	s.Close()
	if _, err := open(t, path).ByHash(t.Context(), [32]byte{7}); err != nil {
		t.Errorf("after opening it again: %v", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) < 2 {
		t.Errorf("%v %v", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v %v", f.Name(), info.Mode(), err)
		}
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "keys.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("this is not a database ", 100)),
		0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		garbage: "not a database",
		filepath.Join(t.TempDir(), "nowhere", "keys.db"): "no such file",
	} {
		if _, err := sqlite.Open(context.Background(), path); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
