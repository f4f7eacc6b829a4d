package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// SaveRows stores the encoded rows of a chunk of a batch until the given time. It replaces earlier
// rows of the chunk.
func (s *Store) SaveRows(ctx context.Context, batch, chunk string, rows []byte,
	until time.Time) error {
	_, err := s.pool.Exec(ctx, `INSERT INTO batch_rows (batch, chunk, data, expires_at)
		VALUES ($1, $2, $3, $4)
		ON CONFLICT (batch, chunk) DO UPDATE SET data = excluded.data, expires_at = excluded.expires_at`,
		batch, chunk, rows, until)
	return err
}

// Rows returns the encoded rows of a chunk, or nil if there are none.
func (s *Store) Rows(ctx context.Context, batch, chunk string) (rows []byte, err error) {
	err = s.pool.QueryRow(ctx, "SELECT data FROM batch_rows WHERE batch = $1 AND chunk = $2", batch,
		chunk).Scan(&rows)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return rows, err
}

// DeleteRows deletes the rows of the given batches, and all rows that expired before now.
func (s *Store) DeleteRows(ctx context.Context, batches []string, now time.Time) error {
	_, err := s.pool.Exec(ctx, "DELETE FROM batch_rows WHERE batch = ANY($1) OR expires_at < $2",
		batches, now)
	return err
}
