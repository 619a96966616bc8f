-- Registered repositories. Their indexes are built again from their sources at every start.
create table repositories (
    name        text    primary key not null,
    -- 'path': a working tree; 'git': a repository read from its objects.
    kind        text    not null check (kind in ('path', 'git')),
    location    text    not null,
    -- Commit, branch or tag of a 'git' repository; null: its HEAD.
    reference   text,
    -- Whether changes of a 'path' are followed.
    watch       integer not null default 0 check (watch in (0, 1)),
    created_at  text    not null default (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'))
) strict, without rowid;
