-- Work that webhooks asked for. A job that is being done stays as it is until its end, so that one that a
-- crash cuts off is done again.
create table jobs (
    id          integer primary key autoincrement,
    -- The thread that it is about: newer work for the same thread takes its place.
    subject     text    not null unique,
    -- What is to be done, as JSON.
    task        text    not null,
    state       text    not null check (state in ('pending', 'dead')),
    -- Attempts that failed.
    attempts    integer not null default 0,
    -- Counts what took its place.
    revision    integer not null default 0,
    -- Milliseconds since 1970.
    created_at  integer not null,
    due_at      integer not null,
    -- Why the last attempt failed.
    error       text
) strict;
create index jobs_due on jobs (state, due_at);
-- Webhook deliveries that were taken: their ids and the digests of their bodies.
create table deliveries (
    number      integer primary key autoincrement,
    digest      text    not null unique
) strict;
