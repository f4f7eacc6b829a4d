-- +goose Up
CREATE TABLE api_keys (
    prefix        text COLLATE "C" PRIMARY KEY,
    hash          bytea NOT NULL UNIQUE,
    tier          text NOT NULL,
    label         text,
    owner         text NOT NULL,
    created_at    timestamptz NOT NULL,
    expires_at    timestamptz NOT NULL,
    revoked_at    timestamptz,
    last_used_at  timestamptz,
    request_count bigint NOT NULL DEFAULT 0
);
CREATE INDEX api_keys_by_owner ON api_keys (owner, created_at, prefix);
CREATE INDEX api_keys_by_age ON api_keys (created_at, prefix);

CREATE TABLE key_usage (
    prefix     text COLLATE "C" NOT NULL,
    day        date NOT NULL,
    tool       text COLLATE "C" NOT NULL,
    outcome    text COLLATE "C" NOT NULL,
    calls      bigint NOT NULL,
    compute_ms double precision NOT NULL,
    PRIMARY KEY (prefix, day, tool, outcome)
);

CREATE TABLE usage_batches (
    id       text COLLATE "C" PRIMARY KEY,
    added_at timestamptz NOT NULL
);
CREATE INDEX usage_batches_by_age ON usage_batches (added_at);

CREATE TABLE secrets (
    name  text PRIMARY KEY,
    value bytea NOT NULL
);

-- +goose Down
DROP TABLE secrets;
DROP TABLE usage_batches;
DROP TABLE key_usage;
DROP TABLE api_keys;
