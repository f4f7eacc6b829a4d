package usage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	_ "modernc.org/sqlite" // registers the driver "sqlite"

	"slipstick/keys"
)

// Memory is the path of a Store in memory. Its content is lost on Close.
const Memory = ":memory:"

// tables is the schema. The column sealed is the id of a batch, or empty for open records.
const tables = `
CREATE TABLE IF NOT EXISTS counters (
	counter TEXT PRIMARY KEY,
	calls   INTEGER NOT NULL,
	expires INTEGER NOT NULL -- Unix s
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
	sealed  TEXT NOT NULL,
	prefix  TEXT NOT NULL,
	tool    TEXT NOT NULL,
	day     TEXT NOT NULL,
	outcome TEXT NOT NULL,
	calls   INTEGER NOT NULL,
	micros  INTEGER NOT NULL, -- of computing
	at      INTEGER NOT NULL, -- last use, Unix ms
	PRIMARY KEY (sealed, prefix, tool, day, outcome)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
	counter TEXT NOT NULL,
	at      INTEGER NOT NULL, -- Unix ms
	expires INTEGER NOT NULL  -- Unix s
) STRICT;
CREATE INDEX IF NOT EXISTS events_of_counter ON events (counter, at);
CREATE TABLE IF NOT EXISTS open_debits ( -- debits with Once that no batch has finalized
	writer  TEXT PRIMARY KEY,
	counter TEXT NOT NULL,
	calls   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`

// SQLite is a Store in a file, for one process. Each batch is a transaction that survives the end
// of the process. A power failure may lose the batches since the last checkpoint, but never a part
// of a batch.
type SQLite struct {
	db *sql.DB

	find, raise, record *sql.Stmt
}

var _ Store = (*SQLite)(nil)

// OpenSQLite opens or creates a database file.
func OpenSQLite(ctx context.Context, path string) (*SQLite, error) {
	if path != Memory { // SQLite gives its auxiliary files the same permissions
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, fmt.Errorf("calls cannot be counted in %s: %w", path, err)
		}
		_ = file.Close()
	}
	pragmas := url.Values{
		"_pragma": {"busy_timeout(2000)", "journal_mode(WAL)", "synchronous(NORMAL)"},
		"_txlock": {"immediate"},
	}
	name := (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(),
		RawQuery: pragmas.Encode()}).String()
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // a second connection to :memory: would open another database
	s := &SQLite{db: db}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("calls cannot be counted in %s: %w", path, err),
			db.Close())
	}
	return s, nil
}

func (s *SQLite) prepare(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, tables); err != nil {
		return err
	}
	for statement, text := range map[**sql.Stmt]string{
		&s.find: "SELECT calls FROM counters WHERE counter = ?",
		&s.raise: `INSERT INTO counters (counter, calls, expires) VALUES (?, max(0, ?), unixepoch() + ?)
			ON CONFLICT (counter) DO UPDATE SET calls = max(0, calls + ?2) RETURNING calls`,
		&s.record: `INSERT INTO uses (sealed, prefix, tool, day, outcome, calls, micros, at) VALUES ('', ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, micros = micros + excluded.micros, at = max(at, excluded.at)`,
	} {
		var err error
		if *statement, err = s.db.PrepareContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Store.
func (s *SQLite) Close() error { return s.db.Close() }

func (s *SQLite) transact(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := f(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Commit implements Store. A batch that fails is rolled back. The number is stored only for a Once
// batch, because only a Once batch may be committed again after a success.
func (s *SQLite) Commit(ctx context.Context, b *Batch) error {
	err := s.transact(ctx, func(tx *sql.Tx) error {
		if b.Once {
			if err := applyOnce(ctx, tx, b.Writer, b.Number); err != nil {
				return err
			}
		}
		find, raise := tx.StmtContext(ctx, s.find), tx.StmtContext(ctx, s.raise)
		insert := tx.StmtContext(ctx, s.record)
		record := func(u keys.UsageRecord) error {
			_, err := insert.ExecContext(ctx, u.Prefix, u.Tool, u.Day.UTC().Format(time.DateOnly),
				string(u.Outcome), u.Calls, int64(u.ComputeMS*1000), u.LastUsed.UnixMilli())
			return err
		}
		for _, a := range b.Adjustments {
			if _, err := raise.ExecContext(ctx, a.Counter, a.Calls, seconds(a.TTL)); err != nil {
				return err
			}
		}
		for i := range b.Debits {
			t := &b.Debits[i]
			t.Granted, t.Used = 0, 0
			if err := find.QueryRowContext(ctx, t.Counter).Scan(&t.Used); err != nil &&
				!errors.Is(err, sql.ErrNoRows) {
				return err
			}
			if t.Granted = min(t.Count, max(0, (t.Limit-t.Used)/t.Size)); t.Granted == 0 {
				if b.Once {
					return errNotGranted
				}
				continue
			}
			if err := raise.QueryRowContext(ctx, t.Counter, t.Granted*t.Size,
				seconds(t.TTL)).Scan(&t.Used); err != nil {
				return err
			}
			if b.Once {
				if _, err := tx.ExecContext(ctx, "INSERT INTO open_debits VALUES (?, ?, ?)",
					b.Writer, t.Counter, t.Granted*t.Size); err != nil {
					return err
				}
			}
			if u, ok := t.granted(); ok {
				if err := record(u); err != nil {
					return err
				}
			}
		}
		if b.Finalizes != "" {
			if _, err := tx.ExecContext(ctx, "DELETE FROM open_debits WHERE writer = ?",
				b.Finalizes); err != nil {
				return err
			}
		}
		for _, u := range b.Records {
			if err := record(u); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, errNotGranted) {
		return nil
	}
	return err
}

// errNotGranted causes a rollback of a Once batch whose debit is not granted.
var errNotGranted = errors.New("the debit is not granted")

// Void implements Store.
func (s *SQLite) Void(ctx context.Context, writer string) (applied bool, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if err := applyOnce(ctx, tx, writer, voidNumber); !errors.Is(err, ErrApplied) {
			return err
		}
		var number int
		err := tx.QueryRowContext(ctx, "SELECT at FROM events WHERE counter = ?",
			"writer:"+writer).Scan(&number)
		applied = number == onceNumber
		return err
	})
	return applied, err
}

// RefundOpenDebits refunds the Once debits that were not finalized. A process with an in-memory
// queue calls it at startup, because its jobs and batches do not survive a restart.
func (s *SQLite) RefundOpenDebits(ctx context.Context) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE counters SET calls = max(0, counters.calls - lost.calls)
			FROM (SELECT counter, sum(calls) AS calls FROM open_debits GROUP BY counter) AS lost
			WHERE counters.counter = lost.counter`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM open_debits")
		return err
	})
}

// applyOnce records the number of a writer. It returns ErrApplied if the writer already has a
// number.
func applyOnce(ctx context.Context, tx *sql.Tx, writer string, number int64) error {
	r, err := tx.ExecContext(ctx, `INSERT INTO events (counter, at, expires)
		SELECT ?1, ?3, unixepoch() + ?2 WHERE NOT EXISTS (SELECT 1 FROM events WHERE counter = ?1)`,
		"writer:"+writer, seconds(writerTTL), number)
	if err != nil {
		return err
	}
	if n, err := r.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return ErrApplied
}

// Rotate implements Store. It also deletes expired counters and events.
func (s *SQLite) Rotate(ctx context.Context, id string) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"counters", "events"} {
			if _, err := tx.ExecContext(ctx,
				"DELETE FROM "+table+" WHERE expires < unixepoch()"); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, `UPDATE uses SET sealed = ? WHERE sealed = ''
			AND (SELECT count(DISTINCT sealed) FROM uses WHERE sealed <> '') < ?`, id, maxBatches)
		return err
	})
}

// Batches implements Store.
func (s *SQLite) Batches(ctx context.Context) ([]string, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT DISTINCT sealed FROM uses WHERE sealed <> ''")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []string
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// ReadBatch implements Store.
func (s *SQLite) ReadBatch(ctx context.Context, id string) ([]keys.UsageRecord, error) {
	rows, err := s.db.QueryContext(ctx,
		"SELECT prefix, tool, day, outcome, calls, micros, at FROM uses WHERE sealed = ?", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var records []keys.UsageRecord
	for rows.Next() {
		var (
			u          keys.UsageRecord
			day        string
			micros, at int64
		)
		if err := rows.Scan(&u.Prefix, &u.Tool, &day, &u.Outcome, &u.Calls, &micros,
			&at); err != nil {
			return nil, err
		}
		if u.Day, err = time.Parse(time.DateOnly, day); err != nil {
			return nil, err
		}
		u.ComputeMS, u.LastUsed = float64(micros)/1000, time.UnixMilli(at).UTC()
		records = append(records, u)
	}
	return records, rows.Err()
}

// Ack implements Store.
func (s *SQLite) Ack(ctx context.Context, id string) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM uses WHERE sealed = ? AND sealed <> ''", id)
	return err
}

// AllowWithin implements Store.
func (s *SQLite) AllowWithin(
	ctx context.Context, counter string, limit int, window time.Duration, now time.Time,
) (wait time.Duration, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "DELETE FROM events WHERE counter = ? AND at <= ?",
			counter, now.Add(-window).UnixMilli()); err != nil {
			return err
		}
		var (
			n      int
			oldest sql.NullInt64
		)
		if err := tx.QueryRowContext(ctx, "SELECT count(*), min(at) FROM events WHERE counter = ?",
			counter).Scan(&n, &oldest); err != nil {
			return err
		}
		if n >= limit {
			wait = max(time.Millisecond, time.UnixMilli(oldest.Int64).Add(window).Sub(now))
			return nil
		}
		_, err := tx.ExecContext(ctx,
			"INSERT INTO events (counter, at, expires) VALUES (?, ?, unixepoch() + ?)", counter,
			now.UnixMilli(), seconds(window))
		return err
	})
	return wait, err
}
