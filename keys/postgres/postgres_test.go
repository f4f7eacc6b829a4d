package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"slipstick/keys"
	"slipstick/keys/postgres"
	"slipstick/keys/postgres/pgtest"
	"slipstick/keys/storetest"
)

func open(t *testing.T, url string) *postgres.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestStore(t *testing.T) {
	server := pgtest.Start(t)
	storetest.Run(t, func(t *testing.T) keys.Store { return open(t, server.Database(t)) })
}

// TestPasswordBesideURL verifies that migrations and calls both use a password from PGPASSWORD. The
// password contains characters that would require escaping in the URL.
func TestPasswordBesideURL(t *testing.T) {
	server := pgtest.Start(t)
	url := server.Database(t)
	const password = `a/b@c+d:e?f#g%41 h&i=j\k"l'm$n`
	server.RequirePassword(t, password)
	for _, wrong := range []string{"", "another"} {
		t.Setenv("PGPASSWORD", wrong)
		if s, err := postgres.Open(t.Context(), url); err == nil {
			s.Close()
			t.Errorf("opened with the password %q", wrong)
		}
	}
	t.Setenv("PGPASSWORD", password)
	if err := open(t, url).Ping(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestManyStartAtOnce verifies that instances that start together on an empty database all succeed,
// and create the tables once.
func TestManyStartAtOnce(t *testing.T) {
	url := pgtest.Start(t).Database(t)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			s, err := postgres.Open(t.Context(), url)
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if err := s.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	var applied int
	if err := c.QueryRow(t.Context(),
		"SELECT count(*) FROM goose_db_version WHERE version_id = 1").Scan(&applied); err != nil ||
		applied != 1 {
		t.Errorf("the first migration was applied %d times, %v", applied, err)
	}
}

// TestOutage verifies that calls fail in time while the server is unavailable, and succeed
// afterwards.
func TestOutage(t *testing.T) {
	server := pgtest.Start(t)
	s := open(t, server.Database(t))
	k := keys.Record{Hash: [32]byte{7}, Prefix: "sl_000000001", Tier: keys.Free,
		ExpiresAt: time.Now().Add(time.Hour)}
	if err := s.Insert(t.Context(), k, 0); err != nil {
		t.Fatal(err)
	}
	server.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := s.ByHash(ctx, k.Hash); err == nil || ctx.Err() != nil {
		t.Errorf("without a server: %v", err)
	}
	server.Restart(t)
	if _, err := s.ByHash(t.Context(), k.Hash); err != nil {
		t.Errorf("after the server came back: %v", err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://u:hidden-word@127.0.0.1:1/db":        "connection refused",
		"postgres://u:hidden-word@127.0.0.1:port/db":     "not valid",
		"postgres://u:hidden-word@127.0.0.1:1/db?%zz=%z": "not valid",
		"mysql://u:hidden-word@127.0.0.1/db": "the form is postgres://user:password@host:port/db, " +
			`got "mysql://..."`,
		"host=h user=u password=hidden-word://b port=bad": "host:port/db",
	} {
		_, err := postgres.Open(t.Context(), url)
		if err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hidden-word") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// execute runs a statement on a database.
func execute(t *testing.T, url, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// TestOlderDump verifies that a database opens after pg_restore --clean of a dump that is older
// than the last migration. Such a restore resets the version and drops only objects of the dump.
func TestOlderDump(t *testing.T) {
	url := pgtest.Start(t).Database(t)
	open(t, url)
	execute(t, url, "DELETE FROM goose_db_version WHERE version_id > 1")
	s := open(t, url)
	if err := s.SaveRows(t.Context(), "batch", "0-1", []byte("rows"), time.Now()); err != nil {
		t.Error(err)
	}
}

// TestNewerTables verifies that a program opens tables that a newer release has changed, and that
// it reports their version.
func TestNewerTables(t *testing.T) {
	url := pgtest.Start(t).Database(t)
	if v := open(t, url).NewerTables(); v != 0 {
		t.Errorf("version %d of new tables", v)
	}
	execute(t, url, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (987, true)")
	if v := open(t, url).NewerTables(); v != 987 {
		t.Errorf("version %d, want 987", v)
	}
}

// TestReadOnly verifies that a database that refuses writes does not pass the check. Postgres
// reports transaction_read_only for a standby too (its documentation, 27.4.1).
func TestReadOnly(t *testing.T) {
	url := pgtest.Start(t).Database(t)
	if err := open(t, url).Ping(t.Context()); err != nil {
		t.Error(err)
	}
	parsed, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	execute(t, url, "ALTER DATABASE "+parsed.Database+" SET default_transaction_read_only = on")
	s := open(t, url) // migrations have nothing to write
	if err := s.Ping(t.Context()); err == nil || !strings.Contains(err.Error(), "refuses writes") {
		t.Errorf("%v", err)
	}
	if _, err := s.Secret(t.Context(), "name", []byte("value")); err == nil {
		t.Error("the database accepts writes")
	}
}
