// Package postgres stores keys, their usage and rows of large batches in Postgres. Any number of
// instances may share the database.
package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"slipstick/keys"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	connectTimeout = 3 * time.Second
	// The server aborts longer statements, so a disconnected client cannot hold a lock.
	statementTimeout = "5s"
	idleTimeout      = "10s" // maximum idle time within a transaction
	// migrationLock serializes the migrations of instances that start together. Its number is
	// arbitrary; no other program may use it in the same database.
	migrationLock     = 7_304_112_958_316_201
	migrationLockWait = 60 // seconds; the lock is tried once per second
)

// Store implements keys.Store and stores batch rows in Postgres.
type Store struct {
	pool  *pgxpool.Pool
	newer int64 // version of tables that a newer program has changed, else 0
}

var _ keys.Store = (*Store)(nil)

// ErrAddress indicates that an address of a database cannot be read.
var ErrAddress = errors.New("the address of the database is not valid")

// Open connects to a database and migrates its tables. address is a URL or a key=value string. It
// may contain parameters of the pool and the session (?pool_max_conns=20&statement_timeout=2s).
// Missing parts come from the variables of libpq: PGPASSWORD, PGPASSFILE, PGHOST, PGSSLROOTCERT and
// others. Errors do not contain the password; those of an invalid address contain ErrAddress.
func Open(ctx context.Context, address string) (*Store, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, addressError(address, err)
	}
	session := config.ConnConfig
	if session.ConnectTimeout == 0 {
		session.ConnectTimeout = connectTimeout
	}
	// The timeouts are set later because migrating a large table may take a long time.
	newer, err := migrate(ctx, session.Copy())
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"application_name": "slipstick", "statement_timeout": statementTimeout,
		"idle_in_transaction_session_timeout": idleTimeout,
	} {
		if session.RuntimeParams[name] == "" {
			session.RuntimeParams[name] = value
		}
	}
	// pgx prepares each statement once per connection and caches it.
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	return &Store{pool, newer}, nil
}

// validScheme matches the scheme of a URL (RFC 3986, section 3.1). A "://" may also be in the
// password of a keyword address.
var validScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*$`)

// addressError returns the error of an invalid address with the valid form, without the address,
// which may contain a password.
func addressError(address string, err error) error {
	var (
		parse *pgconn.ParseConfigError
		bad   *url.Error
	)
	if errors.As(err, &parse) && parse.Unwrap() != nil {
		err = parse.Unwrap()
	} else if parse != nil {
		err = errors.New("it cannot be read")
	}
	if errors.As(err, &bad) {
		err = bad.Err
	}
	got := ""
	if scheme, _, found := strings.Cut(address, "://"); found && validScheme.MatchString(scheme) {
		got = fmt.Sprintf(", got %q", scheme+"://...")
	}
	return fmt.Errorf("%w: %w; the form is postgres://user:password@host:port/db%s", ErrAddress,
		err, got)
}

// migrate migrates the tables. One instance migrates while the others wait. It returns the version
// of the tables if they are newer than the migrations of this program, else 0.
func migrate(ctx context.Context, config *pgx.ConnConfig) (newer int64, err error) {
	db := stdlib.OpenDB(*config)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return 0, err
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return 0, err
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(migrationLock),
		lock.WithLockTimeout(1, migrationLockWait))
	if err != nil {
		return 0, err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithSessionLocker(locker))
	if err != nil {
		return 0, err
	}
	if _, err := provider.Up(ctx); err != nil {
		return 0, fmt.Errorf("bringing the tables up to date: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil || current <= target {
		return 0, err
	}
	return current, nil
}

// NewerTables returns the version of the tables if a newer program had changed them when the store
// was opened, else 0.
func (s *Store) NewerTables() int64 { return s.newer }

// Ping implements keys.Store. It returns an error if the server refuses writes, as a standby does.
func (s *Store) Ping(ctx context.Context) error {
	var readOnly string
	err := s.pool.QueryRow(ctx, "SHOW transaction_read_only").Scan(&readOnly)
	if err == nil && readOnly != "off" {
		err = errors.New("the server refuses writes: transaction_read_only is " + readOnly)
	}
	return err
}

// Close implements keys.Store.
func (s *Store) Close() { s.pool.Close() }
