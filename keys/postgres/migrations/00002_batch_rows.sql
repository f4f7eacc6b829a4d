-- +goose Up
-- The table may exist: a restore of an older dump leaves it and resets the version of the schema.
CREATE TABLE IF NOT EXISTS batch_rows (
    batch      text COLLATE "C" NOT NULL,
    chunk      text COLLATE "C" NOT NULL,
    data       bytea NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (batch, chunk)
);
-- The data is compressed.
ALTER TABLE batch_rows ALTER COLUMN data SET STORAGE EXTERNAL;
CREATE INDEX IF NOT EXISTS batch_rows_by_age ON batch_rows (expires_at);

-- +goose Down
DROP TABLE batch_rows;
