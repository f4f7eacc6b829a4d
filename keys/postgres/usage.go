package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"slipstick/keys"
)

// AddUsage implements keys.Store.
func (s *Store) AddUsage(
	ctx context.Context, batch string, uses []keys.UsageRecord,
) (fresh bool, err error) {
	err = s.transact(ctx, func(tx pgx.Tx) error {
		done, err := tx.Exec(ctx,
			"INSERT INTO usage_batches (id, added_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
			batch, time.Now())
		if err != nil {
			return err
		}
		if fresh = done.RowsAffected() == 1; !fresh || len(uses) == 0 {
			return nil
		}
		return addRecords(ctx, tx, uses)
	})
	return fresh && err == nil, err
}

// addRecords sends all records as columns, in one statement per table.
func addRecords(ctx context.Context, tx pgx.Tx, uses []keys.UsageRecord) error {
	var (
		prefixes, tools, outcomes []string
		days, last                []time.Time
		calls, counted            []int64
		ms                        []float64
	)
	for _, u := range uses {
		prefixes, tools, outcomes = append(
			prefixes, u.Prefix,
		), append(
			tools, u.Tool,
		), append(outcomes, string(u.Outcome))
		days, last = append(days, u.Day.UTC()), append(last, u.LastUsed)
		calls, counted, ms = append(
			calls, u.Calls,
		), append(
			counted, u.CountedCalls(),
		), append(ms, u.ComputeMS)
	}
	_, err := tx.Exec(ctx, `INSERT INTO key_usage (prefix, day, tool, outcome, calls, compute_ms)
		SELECT prefix, day, tool, outcome, sum(calls), sum(compute_ms)
		FROM unnest($1::text[], $2::date[], $3::text[], $4::text[], $5::bigint[], $6::float8[]) AS u (prefix, day, tool, outcome, calls, compute_ms)
		GROUP BY prefix, day, tool, outcome
		ON CONFLICT (prefix, day, tool, outcome) DO UPDATE
		SET calls = key_usage.calls + excluded.calls, compute_ms = key_usage.compute_ms + excluded.compute_ms`,
		prefixes, days, tools, outcomes, calls, ms)
	if err != nil {
		return err
	}
	_, err = tx.Exec(
		ctx,
		`UPDATE api_keys SET request_count = request_count + u.counted, last_used_at = greatest(last_used_at, u.last)
		FROM (SELECT prefix, sum(counted) AS counted, max(last) AS last
			FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS u (prefix, counted, last) GROUP BY prefix) AS u
		WHERE api_keys.prefix = u.prefix`, prefixes, counted, last)
	return err
}

// Usage implements keys.Store.
func (s *Store) Usage(ctx context.Context, scope keys.Scope, prefix string,
	from, to time.Time) ([]keys.UsageRecord, error) {
	if _, err := scan(s.pool.QueryRow(ctx,
		"SELECT "+columns+" FROM api_keys WHERE prefix = $3 AND "+inScope, scope.All, scope.Owner,
		prefix)); err != nil {
		return nil, err
	}
	rows, err := s.pool.Query(ctx, `SELECT day, tool, outcome, calls, compute_ms FROM key_usage
		WHERE prefix = $1 AND day BETWEEN $2 AND $3 ORDER BY day, tool, outcome`, prefix,
		from.UTC(), to.UTC())
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]keys.UsageRecord{}, rows,
		func(row pgx.CollectableRow) (keys.UsageRecord, error) {
			u := keys.UsageRecord{Prefix: prefix}
			err := row.Scan(&u.Day, &u.Tool, &u.Outcome, &u.Calls, &u.ComputeMS)
			return u, err
		})
}
