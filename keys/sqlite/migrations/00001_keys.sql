-- +goose Up
-- Times are microseconds since 1970 UTC, days are YYYY-MM-DD.
CREATE TABLE api_keys (
    prefix        TEXT PRIMARY KEY,
    hash          BLOB NOT NULL UNIQUE,
    tier          TEXT NOT NULL,
    label         TEXT,
    owner         TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    revoked_at    INTEGER,
    last_used_at  INTEGER,
    request_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX api_keys_by_owner ON api_keys (owner, created_at);
CREATE INDEX api_keys_by_age ON api_keys (created_at, prefix);

CREATE TABLE key_usage (
    prefix     TEXT NOT NULL,
    day        TEXT NOT NULL,
    tool       TEXT NOT NULL,
    outcome    TEXT NOT NULL,
    calls      INTEGER NOT NULL,
    compute_ms REAL NOT NULL,
    PRIMARY KEY (prefix, day, tool, outcome)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_batches (
    id       TEXT PRIMARY KEY,
    added_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_batches_by_age ON usage_batches (added_at);

CREATE TABLE secrets (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT;

-- +goose Down
DROP TABLE secrets;
DROP TABLE usage_batches;
DROP TABLE key_usage;
DROP TABLE api_keys;
