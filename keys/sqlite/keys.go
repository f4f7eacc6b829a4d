package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"slipstick/keys"
)

const columns = "hash, prefix, tier, label, owner, created_at, expires_at, revoked_at, last_used_at, request_count"

// inScope is the condition for keys in a scope. Without an owner it selects no keys, instead of the
// keys that have no owner.
const inScope = "(? OR (owner <> '' AND owner = ?))"

type scanner interface{ Scan(...any) error }

func scan(row scanner) (keys.Record, error) {
	var (
		r                keys.Record
		hash             []byte
		created, expires int64
		revoked, used    sql.NullInt64
	)
	err := row.Scan(&hash, &r.Prefix, &r.Tier, &r.Label, &r.Owner, &created, &expires,
		&revoked, &used,
		&r.RequestCount)
	if errors.Is(err, sql.ErrNoRows) {
		return keys.Record{}, keys.ErrKeyNotFound
	}
	if err != nil {
		return keys.Record{}, err
	}
	copy(r.Hash[:], hash)
	r.CreatedAt, r.ExpiresAt = fromMicros(created), fromMicros(expires)
	r.RevokedAt, r.LastUsedAt = optionalTime(revoked), optionalTime(used)
	return r, nil
}

func optionalTime(n sql.NullInt64) *time.Time {
	if !n.Valid {
		return nil
	}
	t := fromMicros(n.Int64)
	return &t
}

// Insert implements keys.Store.
func (s *Store) Insert(ctx context.Context, r keys.Record, limit int) error {
	return s.transact(ctx, func(tx *sql.Tx) error { // the single connection serializes transactions
		if r.Owner != "" && limit > 0 {
			var active int
			if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM api_keys WHERE owner = ? AND revoked_at IS NULL AND expires_at > ?",
				r.Owner, micros(r.CreatedAt)).Scan(&active); err != nil {
				return err
			}
			if active >= limit {
				return keys.ErrTooManyKeys
			}
		}
		done, err := tx.ExecContext(
			ctx,
			`INSERT INTO api_keys (hash, prefix, tier, label, owner, created_at, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (prefix) DO NOTHING`,
			r.Hash[:], r.Prefix, string(r.Tier), r.Label, r.Owner, micros(r.CreatedAt),
			micros(r.ExpiresAt))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil || n == 1 {
			return err
		}
		return keys.ErrPrefixTaken
	})
}

// ByHash implements keys.Store.
func (s *Store) ByHash(ctx context.Context, hash [32]byte) (keys.Record, error) {
	return scan(s.db.QueryRowContext(ctx, "SELECT "+columns+" FROM api_keys WHERE hash = ?",
		hash[:]))
}

// List implements keys.Store.
func (s *Store) List(
	ctx context.Context, scope keys.Scope, p keys.Page, now time.Time,
) ([]keys.Record, error) {
	query := "SELECT " + columns +
		" FROM api_keys WHERE revoked_at IS NULL AND expires_at > ? AND " + inScope
	args := []any{micros(now), scope.All, scope.Owner}
	if p.After != "" {
		query += " AND (created_at, prefix) < (SELECT created_at, prefix FROM api_keys WHERE prefix = ?)"
		args = append(args, p.After)
	}
	rows, err := s.db.QueryContext(
		ctx, query+" ORDER BY created_at DESC, prefix DESC LIMIT ?",
		append(args, p.Limit)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	list := []keys.Record{}
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, rows.Err()
}

// Revoke implements keys.Store.
func (s *Store) Revoke(
	ctx context.Context, scope keys.Scope, prefix string, now time.Time,
) (keys.Record, error) {
	return scan(s.db.QueryRowContext(ctx, `UPDATE api_keys SET revoked_at = ?
		WHERE prefix = ? AND revoked_at IS NULL AND expires_at > ?
		AND `+inScope+" RETURNING "+columns,
		micros(now), prefix, micros(now), scope.All, scope.Owner))
}

// Secret implements keys.Store.
func (s *Store) Secret(
	ctx context.Context, name string, proposal []byte,
) (value []byte, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx,
			"INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", name,
			proposal); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "SELECT value FROM secrets WHERE name = ?",
			name).Scan(&value)
	})
	return value, err
}

// Purge implements keys.Store.
func (s *Store) Purge(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx *sql.Tx) error {
		const ended = "owner = '' AND (expires_at < ?1 OR revoked_at < ?1)"
		for _, statement := range []string{
			"DELETE FROM key_usage WHERE prefix IN (SELECT prefix FROM api_keys WHERE " +
				ended + ")",
			"DELETE FROM api_keys WHERE " + ended,
			"DELETE FROM usage_batches WHERE added_at < ?1",
		} {
			if _, err := tx.ExecContext(ctx, statement, micros(before)); err != nil {
				return err
			}
		}
		return nil
	})
}
