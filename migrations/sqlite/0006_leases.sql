-- Whoever does a job holds it for a while, so that of several nobody else does it meanwhile, and an attempt
-- is counted before it begins: a job that ends the process is given up, too.
alter table jobs add column leased_until integer;
-- Counts how often it was taken: what became of a job may be written only by who took it last.
alter table jobs add column taken integer not null default 0;
-- What two jobs have in common that must not be done at the same time.
alter table jobs add column thread text not null default '';
update jobs set thread = subject;
