//! Lists every metric of the process with its kind and its description.

use super::Kind::{self, Counter, Gauge, Histogram};

/// Name, kind and description of a metric.
pub(super) type Description = (&'static str, Kind, &'static str);

/// The metrics that are recorded as they happen.
#[rustfmt::skip]
pub(super) const EVENTS: [Description; 24] = [
    ("foveate_http_requests_total", Counter, "HTTP requests answered, by route, method and status."),
    ("foveate_http_request_seconds", Histogram, "Time from a request's head to its answer's head, by route."),
    ("foveate_connections_evicted_total", Counter, "Connections without a request that were closed to make room for others."),
    ("foveate_connections_refused_total", Counter, "Connections that were closed at once because the limit was reached and all others were busy."),
    ("foveate_stage_seconds", Histogram, "Time of each stage of an answer, by stage and intent; the stage total includes waiting."),
    ("foveate_lookup_seconds", Histogram, "Time of a lookup of definitions, references, outlines, matches or files, waiting included."),
    ("foveate_permit_wait_seconds", Histogram, "Time that questions waited in the queue."),
    ("foveate_problems_total", Counter, "Requests answered with a problem, by its code."),
    ("foveate_certificate_reads_total", Counter, "Reloads of a changed certificate, by outcome."),
    ("foveate_degraded_answers_total", Counter, "Answers that are incomplete or outdated, by issue code."),
    ("foveate_index_read_seconds", Histogram, "Time to find, read and parse the files of a revision, by cause."),
    ("foveate_index_build_seconds", Histogram, "Time to build the index of a revision from its files, by cause."),
    ("foveate_references_restored_total", Counter, "Files whose resolved references were read from disk."),
    ("foveate_transfer_seconds", Histogram, "Time of clones and fetches of remote repositories, by outcome."),
    ("foveate_audits_total", Counter, "Comparisons of a working tree's index with the disk."),
    ("foveate_audit_repaired_files_total", Counter, "Changed files that audits found and events had not reported."),
    ("foveate_disk_damaged_total", Counter, "Damaged pieces of stored data, which are discarded and rebuilt, by kind."),
    ("foveate_disk_failed_writes_total", Counter, "Failures to store a repository's index."),
    ("foveate_repositories_evicted_total", Counter, "Times that a repository was evicted from memory to make room."),
    ("foveate_webhooks_total", Counter, "Webhooks of forges, by forge and outcome: queued, synced, repeated, ignored, refused."),
    ("foveate_jobs_total", Counter, "Jobs of webhooks, by outcome: queued, done, failed (will be retried), put_off, dead."),
    ("foveate_answers_recorded_total", Counter, "Answers to be recorded, by outcome: stored, dropped (the queue was full), failed."),
    ("foveate_feedback_total", Counter, "Feedback on answers, by source: caller, merge."),
    ("foveate_panics_total", Counter, "Panics: requests, indexing runs and jobs that failed on a bug."),
];

/// The metrics whose values are read when `/metrics` is requested.
#[rustfmt::skip]
pub(super) const STATES: [Description; 42] = [
    ("foveate_build_info", Gauge, "The running program; always 1."),
    ("foveate_memory_limit_bytes", Gauge, "Memory limit of the process in bytes; one index stays in memory even above it."),
    ("foveate_database_up", Gauge, "Whether the database answers: 1 or 0."),
    ("foveate_queued_jobs", Gauge, "Jobs of webhooks in the queue, by state: pending, or dead (given up)."),
    ("foveate_answers_in_progress", Gauge, "Questions being answered."),
    ("foveate_answer_queue_depth", Gauge, "Questions waiting in the queue."),
    ("foveate_answer_permits", Gauge, "Limit of questions answered at the same time."),
    ("foveate_answer_queue_limit", Gauge, "Limit of questions waiting in the queue."),
    ("foveate_blobs_parsed_total", Counter, "File contents parsed."),
    ("foveate_blobs_reused_total", Counter, "File contents found already parsed."),
    ("foveate_blobs_restored_total", Counter, "File contents whose facts were read from disk."),
    ("foveate_blobs_known", Gauge, "File contents known now."),
    ("foveate_blob_cache_bytes", Gauge, "Estimated bytes of parsed contents that the cache keeps alive."),
    ("foveate_repositories", Gauge, "Registered repositories, by state."),
    ("foveate_repositories_watched", Gauge, "Registered repositories, by how changes of their files are detected."),
    ("foveate_repositories_in_memory", Gauge, "Repositories whose index is in memory."),
    ("foveate_memory_bytes", Gauge, "Estimated bytes of all indexes and of the cached file contents."),
    ("foveate_memory_held_bytes", Gauge, "Bytes that the process holds, without pages of files and free memory of its allocator; index.memory_bytes limits them."),
    ("foveate_repository_generation", Gauge, "Indexes published since the start, by repository."),
    ("foveate_repository_files", Gauge, "Files of the current index, including those that are not indexed, by repository."),
    ("foveate_repository_definitions", Gauge, "Definitions of the current index, by repository."),
    ("foveate_repository_pending_files", Gauge, "Changed files that are not in the index yet, by repository."),
    ("foveate_repository_warm_revisions", Gauge, "Revisions kept in memory besides the current one, by repository."),
    ("foveate_repository_segments", Gauge, "Segments of the lexical index, by repository; more than eight are merged by the next change."),
    ("foveate_repository_disk_bytes", Gauge, "Bytes of the stored index, by repository."),
    ("foveate_repository_index_bytes", Gauge, "Estimated bytes of the current index, by repository and structure."),
    ("foveate_repository_skipped_files", Gauge, "Files that are not indexed, by repository and reason."),
    ("foveate_repository_parse_issues", Gauge, "Files whose parsing was incomplete, by repository and code."),
    ("foveate_repository_answers", Gauge, "Stored answers, by repository."),
    ("foveate_repository_feedback", Gauge, "Feedback of clients on stored answers, by repository."),
    ("foveate_repository_merges", Gauge, "Merged pull requests that were compared with an answer, by repository."),
    ("foveate_repository_merged_files", Gauge, "Source files that merged pull requests changed, by repository."),
    ("foveate_repository_merged_files_in_context", Gauge, "Changed source files that were in the answer's context at least in part, by repository."),
    ("foveate_repository_merged_functions", Gauge, "Functions that merged pull requests changed, by repository."),
    ("foveate_repository_merged_functions_in_context", Gauge, "Changed functions that were in the answer's context whole, by repository."),
    ("process_cpu_seconds_total", Counter, "Total user and system CPU time spent in seconds."),
    ("process_resident_memory_bytes", Gauge, "Resident memory size in bytes."),
    ("process_virtual_memory_bytes", Gauge, "Virtual memory size in bytes."),
    ("process_start_time_seconds", Gauge, "Start time of the process since unix epoch in seconds."),
    ("process_open_fds", Gauge, "Number of open file descriptors."),
    ("process_max_fds", Gauge, "Maximum number of open file descriptors."),
    ("process_threads", Gauge, "Number of OS threads in the process."),
];
