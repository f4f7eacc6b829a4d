package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"slipstick/keys"
)

const columns = "hash, prefix, tier, label, owner, created_at, expires_at, revoked_at, last_used_at, request_count"

// inScope is the condition for keys in a scope. Without an owner it selects no keys, instead of the
// keys that have no owner.
const inScope = "($1 OR (owner <> '' AND owner = $2))"

func scan(row pgx.Row) (keys.Record, error) {
	var (
		r    keys.Record
		hash []byte
	)
	err := row.Scan(&hash, &r.Prefix, &r.Tier, &r.Label, &r.Owner, &r.CreatedAt, &r.ExpiresAt,
		&r.RevokedAt, &r.LastUsedAt, &r.RequestCount)
	if errors.Is(err, pgx.ErrNoRows) {
		return keys.Record{}, keys.ErrKeyNotFound
	}
	if err != nil {
		return keys.Record{}, err
	}
	copy(r.Hash[:], hash)
	for _, t := range []*time.Time{&r.CreatedAt, &r.ExpiresAt, r.RevokedAt, r.LastUsedAt} {
		if t != nil {
			*t = t.UTC()
		}
	}
	return r, nil
}

// ownerLock serializes the issuance of keys to one owner. Advisory locks with a two-part key never
// conflict with locks that have a single key, such as usageLock.
const ownerLock = "SELECT pg_advisory_xact_lock(730411295, hashtext($1))"

// Insert implements keys.Store.
func (s *Store) Insert(ctx context.Context, r keys.Record, limit int) error {
	if r.Owner == "" || limit == 0 {
		return insert(ctx, s.pool, r)
	}
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, ownerLock, r.Owner); err != nil {
			return err
		}
		var active int // a separate statement after the lock sees concurrent inserts
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM api_keys WHERE owner = $1 AND revoked_at IS NULL AND expires_at > $2",
			r.Owner, r.CreatedAt).Scan(&active); err != nil {
			return err
		}
		if active >= limit {
			return keys.ErrTooManyKeys
		}
		return insert(ctx, tx, r)
	})
}

type executor interface {
	Exec(ctx context.Context, sql string, arguments ...any) (pgconn.CommandTag, error)
}

func insert(ctx context.Context, to executor, r keys.Record) error {
	done, err := to.Exec(
		ctx,
		`INSERT INTO api_keys (hash, prefix, tier, label, owner, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (prefix) DO NOTHING`,
		r.Hash[:], r.Prefix, string(r.Tier), r.Label, r.Owner, r.CreatedAt, r.ExpiresAt)
	if err == nil && done.RowsAffected() == 0 {
		return keys.ErrPrefixTaken
	}
	return err
}

// ByHash implements keys.Store.
func (s *Store) ByHash(ctx context.Context, hash [32]byte) (keys.Record, error) {
	return scan(s.pool.QueryRow(ctx, "SELECT "+columns+" FROM api_keys WHERE hash = $1", hash[:]))
}

// List implements keys.Store.
func (s *Store) List(
	ctx context.Context, scope keys.Scope, p keys.Page, now time.Time,
) ([]keys.Record, error) {
	query := "SELECT " + columns +
		" FROM api_keys WHERE revoked_at IS NULL AND expires_at > $3 AND " + inScope
	args := []any{scope.All, scope.Owner, now, p.Limit}
	if p.After != "" {
		query += " AND (created_at, prefix) < (SELECT created_at, prefix FROM api_keys WHERE prefix = $5)"
		args = append(args, p.After)
	}
	rows, err := s.pool.Query(ctx, query+" ORDER BY created_at DESC, prefix DESC LIMIT $4", args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]keys.Record{}, rows,
		func(row pgx.CollectableRow) (keys.Record, error) { return scan(row) })
}

// Revoke implements keys.Store.
func (s *Store) Revoke(
	ctx context.Context, scope keys.Scope, prefix string, now time.Time,
) (keys.Record, error) {
	return scan(s.pool.QueryRow(ctx, `UPDATE api_keys SET revoked_at = $3
		WHERE prefix = $4 AND revoked_at IS NULL AND expires_at > $3 AND `+inScope+" RETURNING "+columns,
		scope.All, scope.Owner, now, prefix))
}

// Secret implements keys.Store.
func (s *Store) Secret(
	ctx context.Context, name string, proposal []byte,
) (value []byte, err error) {
	// The insertion may wait for a concurrent one. A second statement then sees its row.
	if _, err = s.pool.Exec(ctx,
		"INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING", name,
		proposal); err != nil {
		return nil, err
	}
	err = s.pool.QueryRow(ctx, "SELECT value FROM secrets WHERE name = $1", name).Scan(&value)
	return value, err
}

// Purge implements keys.Store.
func (s *Store) Purge(ctx context.Context, before time.Time) error {
	return s.transact(ctx, func(tx pgx.Tx) error {
		const ended = "owner = '' AND (expires_at < $1 OR revoked_at < $1)"
		for _, statement := range []string{
			"DELETE FROM key_usage WHERE prefix IN (SELECT prefix FROM api_keys WHERE " +
				ended + ")",
			"DELETE FROM api_keys WHERE " + ended,
			"DELETE FROM usage_batches WHERE added_at < $1",
		} {
			if _, err := tx.Exec(ctx, statement, before); err != nil {
				return err
			}
		}
		return nil
	})
}

// usageLock serializes changes to many keys because concurrent changes could deadlock.
const usageLock = "SELECT pg_advisory_xact_lock(7304112958316202)"

// transact runs f in a transaction that holds usageLock.
func (s *Store) transact(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, usageLock); err != nil {
			return err
		}
		return f(tx)
	})
}
