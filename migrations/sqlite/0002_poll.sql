-- Seconds between two looks at a 'git' repository; 0: never; null: as configured.
alter table repositories add column poll_seconds integer check (poll_seconds >= 0);
