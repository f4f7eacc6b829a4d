// Package sqlite stores keys and their usage in one SQLite file, or in memory, for a service that
// consists of a single process.
package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"slipstick/keys"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Memory is the path of a store in memory. Its content is lost on Close.
const Memory = ":memory:"

// Store implements keys.Store in SQLite.
type Store struct {
	db   *sql.DB
	lock *sql.DB // holds the lock of the file; nil in memory
}

var _ keys.Store = (*Store)(nil)

// Open opens or creates the file and migrates its tables. It locks the file because the daily
// limits must be counted by one process only.
func Open(ctx context.Context, path string) (*Store, error) {
	if path == Memory {
		db, err := open(":memory:")
		if err != nil {
			return nil, err
		}
		return migrated(ctx, &Store{db: db})
	}
	s := &Store{}
	var err error
	if s.lock, err = lockFile(ctx, path+".lock"); err != nil {
		return nil, err
	}
	if err = createPrivate(path); err != nil {
		s.Close()
		return nil, err
	}
	if s.db, err = open(fileURL(path) + "?_pragma=journal_mode(WAL)&_pragma=busy_timeout(5000)&_pragma=synchronous(FULL)&_txlock=immediate"); err != nil {
		s.Close()
		return nil, err
	}
	return migrated(ctx, s)
}

// fileURL returns a file URL. It escapes question marks and percent signs in the path.
func fileURL(path string) string {
	return "file:" + (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()
}

// createPrivate creates a file that only its owner may read. SQLite gives its auxiliary files the
// same permissions.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// open returns a database with a single connection. A memory database belongs to its connection,
// and writers of a file must wait for each other anyway.
func open(dsn string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(0)
	return db, nil
}

// lockFile locks a file through SQLite, which works on every system. The operating system releases
// the lock when the process ends.
func lockFile(ctx context.Context, path string) (*sql.DB, error) {
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	db, err := open(fileURL(path) + "?_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		return nil, err
	}
	// In exclusive mode SQLite keeps the lock after a write.
	if _, err := db.ExecContext(ctx, "PRAGMA user_version = 1"); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("another slipstick has it in use (%w)", err)
	}
	return db, nil
}

func migrated(ctx context.Context, s *Store) (*Store, error) {
	err := migrate(ctx, s.db)
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("bringing the tables up to date: %w", err)
	}
	return s, nil
}

func migrate(ctx context.Context, db *sql.DB) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files)
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}

// Ping returns an error if the file is unreadable.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	return s.db.QueryRowContext(ctx, "SELECT count(*) FROM secrets").Scan(&n)
}

// Close closes the store.
func (s *Store) Close() {
	if s.db != nil {
		_ = s.db.Close()
	}
	if s.lock != nil {
		_ = s.lock.Close()
	}
}

// transact runs f in a transaction, which it rolls back after an error.
func (s *Store) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }
