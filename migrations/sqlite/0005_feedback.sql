-- What was answered, to learn later whether it helped: names of the repository's own, no text of a question.
create table answers (
    id          integer primary key autoincrement,
    request_id  text    not null,
    repo        text    not null,
    -- The thread of a forge that it was written for, such as 'github acme/api issue 12'; null: none.
    thread      text,
    -- The commit that was searched; empty where there is none.
    commit_id   text    not null,
    -- Milliseconds since 1970.
    created_at  integer not null,
    intent      text    not null,
    -- 0 to 1.
    confidence  real    not null,
    used_tokens integer not null,
    -- JSON: the ranked files and functions, and what of them stood in the context.
    ranking     text    not null,
    -- The text of the question; only where feedback.queries is true.
    query       text
) strict;
create index answers_request on answers (request_id);
create index answers_repo on answers (repo, created_at);
create index answers_age on answers (created_at);
-- What was said of an answer, or turned out to be right. Of one origin the last word counts.
create table feedback (
    id                   integer primary key autoincrement,
    answer               integer not null references answers (id) on delete cascade,
    -- 'caller': a client said it; 'merge': a pull request that closes the thread was merged.
    source               text    not null check (source in ('caller', 'merge')),
    -- The name of the client's key, or the thread of the pull request.
    origin               text    not null,
    created_at           integer not null,
    -- JSON lists of files and functions.
    useful               text    not null,
    changed              text    not null,
    comment              text,
    -- The commit that the change was made to, where that is known.
    base_commit          text,
    -- How many files and functions were changed, and how many of them the context held.
    files                integer not null,
    files_in_context     integer not null,
    functions            integer not null,
    functions_in_context integer not null,
    unique (answer, source, origin)
) strict;
