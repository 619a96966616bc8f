//! Parses files in worker processes. The parsers are C programs, and a crafted file of a few kilobytes can make one
//! take all memory or overflow its stack. Such a file ends a [`worker`], whose memory and CPU time are bounded, and
//! is indexed as text; the process that holds the indexes continues. Start at [`Parsers::read`].

pub mod worker;

use std::io::{self, BufReader};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Once, Weak};
use std::time::{Duration, Instant};

use foveate_index::stored::facts::Blob;
use foveate_model::{Content, Language, SkipReason};
use foveate_parse::Limits;
use parking_lot::Mutex;
use rustix::process::Signal;

/// Files of fewer bytes are parsed in this process: their size bounds the cost of the worst of them.
const SMALL_FILE: usize = 1000;
/// Time after which an idle worker is ended.
const IDLE: Duration = Duration::from_secs(30);
/// A worker that fails on a file sooner than this had exited while it was idle: the file is not the cause.
const MIN_FAILURE_TIME: Duration = Duration::from_millis(100);
const NO_WORKER: &str = "cannot start a parser process: files are parsed in this process, and a file made to crash \
    a parser ends it";
const KILLED: &str = "the system killed a parser process, as it does where memory runs out: its file is parsed once \
    more, or kept as text if that was the second time";
static WARNED: Once = Once::new();

/// The result of reading a blob.
#[derive(Clone, Debug)]
pub struct BlobReading {
    /// The language that it was read as.
    pub language: Language,
    /// Its content, or why it has none.
    pub content: Result<Arc<Content>, SkipReason>,
}

/// Parses files, in this process or in workers, under limits.
#[derive(Clone, Debug)]
pub struct Parsers {
    /// The limits that files are read under.
    pub limits: Limits,
    workers: Option<Arc<WorkerPool>>,
}

/// Returns a path to the program of this process; on Linux it stays valid when the file is replaced or deleted.
pub fn this_program() -> PathBuf {
    let running = PathBuf::from("/proc/self/exe");
    match running.exists() {
        true => running,
        false => std::env::current_exe().unwrap_or_else(|_| PathBuf::from("foveate")),
    }
}

/// Parses in this process, so the files must be trusted.
impl From<Limits> for Parsers {
    fn from(limits: Limits) -> Self {
        Self {
            limits,
            workers: None,
        }
    }
}

impl Parsers {
    /// Parses in workers, which are processes of `program`: one for each file parsed at a time. They are started on
    /// demand, and ended when idle for [`IDLE`]. Only Linux can limit the memory of a process as needed here;
    /// elsewhere files are parsed in this process.
    pub fn in_workers(limits: Limits, program: PathBuf) -> Self {
        let workers = cfg!(target_os = "linux").then(|| {
            Arc::new(WorkerPool {
                program,
                limits,
                idle: Mutex::default(),
            })
        });
        if let Some(pool) = &workers {
            end_idle(Arc::downgrade(pool));
        }
        Self { limits, workers }
    }

    /// Starts a worker and has it parse a trivial file; `None` where files are parsed in this process.
    pub fn check_worker(&self) -> Option<io::Result<()>> {
        self.workers.as_deref().map(WorkerPool::check)
    }

    /// Returns the result of [`foveate_parse::read_after`]. A file that ends its worker is read as text.
    pub fn read(&self, named: Option<Language>, bytes: &[u8], earlier: Option<&Content>) -> Blob {
        let here = || foveate_parse::read_after(named, bytes, earlier, &self.limits);
        match &self.workers {
            Some(workers) if bytes.len() >= SMALL_FILE && foveate_parse::may_be_parsed(named) => {
                match workers.read(named, bytes, earlier) {
                    Ok(Some(blob)) => blob,
                    Ok(None) => foveate_parse::read_unparsed(named, bytes, &self.limits),
                    Err(error) => {
                        WARNED.call_once(|| tracing::warn!(%error, "{NO_WORKER}"));
                        here()
                    }
                }
            }
            _ => here(),
        }
    }
}

/// The idle worker processes, and the settings to start more.
#[derive(Debug)]
struct WorkerPool {
    program: PathBuf,
    limits: Limits,
    /// Most recently used last.
    idle: Mutex<Vec<Worker>>,
}

impl WorkerPool {
    /// Has a worker parse the file; `None` where the worker ended on it or timed out. If the system killed the worker,
    /// the file need not be the cause, and another worker tries it once more.
    ///
    /// # Errors
    /// When no worker can be started.
    fn read(
        &self,
        named: Option<Language>,
        bytes: &[u8],
        earlier: Option<&Content>,
    ) -> io::Result<Option<Blob>> {
        let request = worker::request(named, bytes, earlier);
        let mut idle = self.take_idle();
        let mut may_retry = true;
        loop {
            let was_idle = idle.is_some();
            let worker = match idle.take() {
                Some(worker) => worker,
                None => self.start()?,
            };
            let asked = Instant::now();
            let end = match self.ask(worker, &request) {
                Ok(reply) => return Ok(worker::blob(&reply)),
                Err(end) => end,
            };
            if was_idle && asked.elapsed() <= MIN_FAILURE_TIME {
                continue;
            }
            if end == WorkerEnd::Killed {
                tracing::warn!(bytes = bytes.len(), is_retried = may_retry, "{KILLED}");
                if std::mem::replace(&mut may_retry, false) {
                    continue;
                }
            }
            if !was_idle {
                self.check()?;
            }
            return Ok(None);
        }
    }

    /// Has a new worker parse a trivial file.
    ///
    /// # Errors
    /// When it fails: then workers do not end because of a particular file.
    fn check(&self) -> io::Result<()> {
        let request = worker::request(Some(Language::TEXT), b"a", None);
        match self.ask(self.start()?, &request) {
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::other("it exits at once")),
        }
    }

    fn start(&self) -> io::Result<Worker> {
        Worker::start(&self.program, &self.limits)
    }

    /// Takes an idle worker that has the priority of this thread, as a worker started by this thread would.
    fn take_idle(&self) -> Option<Worker> {
        let nice = niceness();
        let mut workers = self.idle.lock();
        let at = workers.iter().rposition(|worker| worker.nice == nice)?;
        Some(workers.remove(at))
    }

    /// Sends a request to a worker, which then becomes idle, and returns the reply.
    ///
    /// # Errors
    /// When there is none: how the worker ended.
    fn ask(&self, mut worker: Worker, request: &[u8]) -> Result<Vec<u8>, WorkerEnd> {
        let Ok(Some(reply)) = worker.ask(request) else {
            return Err(worker.wait_for_end());
        };
        worker.used = Instant::now();
        self.idle.lock().push(worker);
        Ok(reply)
    }
}

/// Starts a thread that ends workers idle for longer than [`IDLE`], as long as there is the pool.
fn end_idle(pool: Weak<WorkerPool>) {
    let thread = std::thread::Builder::new().name("idle-parsers".to_owned());
    // If the thread cannot be started, the workers stay until this process ends.
    let _ = thread.spawn(move || {
        loop {
            std::thread::sleep(IDLE / 2);
            let Some(pool) = pool.upgrade() else {
                break;
            };
            let is_old = |worker: &mut Worker| worker.used.elapsed() > IDLE;
            let old: Vec<_> = pool.idle.lock().extract_if(.., is_old).collect();
            // Without the lock: it waits for their end.
            drop(old);
        }
    });
}

/// A worker process, which parses one file after the other.
#[derive(Debug)]
struct Worker {
    /// Its standard input takes the requests.
    process: Child,
    output: BufReader<ChildStdout>,
    used: Instant,
    nice: i32,
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WorkerEnd {
    /// It exited, crashed, or exceeded one of its limits.
    ByItself,
    /// By `SIGKILL`, which its limits do not send.
    Killed,
}

/// Returns the niceness; on Linux that of this thread.
fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap_or_default()
}

impl Worker {
    fn start(program: &Path, limits: &Limits) -> io::Result<Self> {
        let mut process = Command::new(program)
            .arg0("foveate")
            .args(worker::arguments(limits))
            // It needs no secrets and no directory, and must not get the signals of a terminal.
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = process.stdout.take();
        let output = output.ok_or_else(|| io::Error::other("the parser process has no pipes"))?;
        Ok(Self {
            process,
            output: BufReader::new(output),
            used: Instant::now(),
            nice: niceness(),
        })
    }

    /// Sends a request and returns the reply; `None` where the process has ended.
    fn ask(&mut self, request: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let input = self.process.stdin.as_mut();
        worker::write_frame(input.ok_or(io::ErrorKind::BrokenPipe)?, request)?;
        worker::read_frame(&mut self.output)
    }

    /// Waits until the process has ended, which it does when its input is closed. Does not kill it: then a crash would
    /// look like the work of the system.
    fn wait_for_end(&mut self) -> WorkerEnd {
        let status = self.process.wait().ok();
        match status.and_then(|status| status.signal()) {
            Some(signal) if signal == Signal::KILL.as_raw() => WorkerEnd::Killed,
            _ => WorkerEnd::ByItself,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended already, or is idle.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
