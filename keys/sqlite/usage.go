package sqlite

import (
	"context"
	"database/sql"
	"time"

	"slipstick/keys"
)

// AddUsage implements keys.Store.
func (s *Store) AddUsage(
	ctx context.Context, batch string, uses []keys.UsageRecord,
) (fresh bool, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx,
			"INSERT INTO usage_batches (id, added_at) VALUES (?, ?) ON CONFLICT DO NOTHING", batch,
			micros(time.Now()))
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		if fresh = n == 1; err != nil || !fresh {
			return err
		}
		return addUses(ctx, tx, uses)
	})
	return fresh && err == nil, err
}

func addUses(ctx context.Context, tx *sql.Tx, uses []keys.UsageRecord) error {
	add, err := tx.PrepareContext(
		ctx,
		`INSERT INTO key_usage (prefix, day, tool, outcome, calls, compute_ms) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, compute_ms = compute_ms + excluded.compute_ms`,
	)
	if err != nil {
		return err
	}
	defer add.Close()
	touch, err := tx.PrepareContext(ctx, `UPDATE api_keys SET request_count = request_count + ?,
		last_used_at = max(coalesce(last_used_at, ?2), ?2) WHERE prefix = ?`)
	if err != nil {
		return err
	}
	defer touch.Close()
	for _, u := range uses {
		if _, err := add.ExecContext(ctx, u.Prefix, u.Day.UTC().Format(time.DateOnly), u.Tool,
			string(u.Outcome), u.Calls, u.ComputeMS); err != nil {
			return err
		}
		if _, err := touch.ExecContext(ctx, u.CountedCalls(), micros(u.LastUsed),
			u.Prefix); err != nil {
			return err
		}
	}
	return nil
}

// Usage implements keys.Store.
func (s *Store) Usage(
	ctx context.Context, scope keys.Scope, prefix string, from, to time.Time,
) (uses []keys.UsageRecord, err error) {
	err = s.transact(ctx, func(tx *sql.Tx) error {
		if _, err := scan(tx.QueryRowContext(ctx,
			"SELECT "+columns+" FROM api_keys WHERE prefix = ? AND "+inScope, prefix, scope.All,
			scope.Owner)); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx,
			`SELECT day, tool, outcome, calls, compute_ms FROM key_usage
			WHERE prefix = ? AND day BETWEEN ? AND ? ORDER BY day, tool, outcome`, prefix,
			from.UTC().Format(time.DateOnly), to.UTC().Format(time.DateOnly))
		if err != nil {
			return err
		}
		defer rows.Close()
		uses = []keys.UsageRecord{}
		for rows.Next() {
			u, day := keys.UsageRecord{Prefix: prefix}, ""
			if err := rows.Scan(&day, &u.Tool, &u.Outcome, &u.Calls, &u.ComputeMS); err != nil {
				return err
			}
			if u.Day, err = time.Parse(time.DateOnly, day); err != nil {
				return err
			}
			uses = append(uses, u)
		}
		return rows.Err()
	})
	return uses, err
}
