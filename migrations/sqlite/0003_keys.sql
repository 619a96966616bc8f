-- API keys. The token itself is nowhere: it is shown once, when it is made.
create table keys (
    id           integer primary key,
    name         text    not null,
    -- SHA-256 of the token.
    hash         blob    not null unique check (length(hash) = 32),
    scope        text    not null check (scope in ('read', 'admin')),
    -- JSON list of the names of repositories; null: all.
    repositories text,
    created_at   text    not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    -- Null: never.
    expires_at   text,
    -- Null: it was not revoked.
    revoked_at   text
) strict;
-- A revoked key gives its name free and stays in the list.
create unique index key_names on keys (name) where revoked_at is null;
