//! Parsing in processes of its own. The parsers are C programs, and a few kilobytes can be written on which one
//! takes all memory or overflows its stack. Such a file ends a [`worker`], whose memory and processor time are
//! bounded, and is indexed as text; the process that has the indexes goes on. Start at [`Parsers::read`].

pub mod worker;

use std::io::{self, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};

use foveate_index::stored::facts::Blob;
use foveate_model::{Content, Language};
use foveate_parse::Limits;
use parking_lot::Mutex;

/// Files smaller than this are parsed in this process: what the worst of them takes is bounded by their size.
const SMALL_FILE: usize = 1000;
/// Time after which a worker that nobody needs is ended.
const IDLE: Duration = Duration::from_secs(30);
/// One that ends sooner than this over a file had ended while it was idle: it is not the file.
const EXITED_BEFORE: Duration = Duration::from_millis(100);
const NO_WORKER: &str = "no process can be started to parse in: files are parsed in this one, and one that is made \
    to break a parser can end it";
static TOLD: Once = Once::new();

/// What parses files, and under which limits.
#[derive(Clone, Debug)]
pub struct Parsers {
    limits: Limits,
    workers: Option<Arc<WorkerPool>>,
}

/// The program of this process, whatever happens to its file.
pub fn this_program() -> PathBuf {
    let running = PathBuf::from("/proc/self/exe");
    match running.exists() {
        true => running,
        false => std::env::current_exe().unwrap_or_else(|_| PathBuf::from("foveate")),
    }
}

/// Parses in this process, which has to trust the files.
impl From<Limits> for Parsers {
    fn from(limits: Limits) -> Self {
        Self {
            limits,
            workers: None,
        }
    }
}

impl Parsers {
    /// Parses in processes of the program `foveate`: as many as files are parsed at a time. They are started
    /// when they are needed, and ended when they were not for [`IDLE`]. Only Linux bounds the memory of a process
    /// as this needs it; elsewhere files are parsed in this one.
    pub fn in_workers(limits: Limits, program: PathBuf) -> Self {
        let workers = WorkerPool {
            program,
            limits,
            idle: Mutex::default(),
        };
        Self {
            limits,
            workers: cfg!(target_os = "linux").then(|| Arc::new(workers)),
        }
    }

    /// The limits that files are read under.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Starts a worker and has it parse something; `None` where files are parsed in this process.
    pub fn check_worker(&self) -> Option<io::Result<()>> {
        self.workers.as_ref().map(WorkerPool::check)
    }

    /// What [`foveate_parse::read_after`] gives. A file that ends its worker is text.
    pub fn read(&self, named: Option<Language>, bytes: &[u8], earlier: Option<&Content>) -> Blob {
        let here = || foveate_parse::read_after(named, bytes, earlier, &self.limits);
        match &self.workers {
            Some(workers) if bytes.len() >= SMALL_FILE && foveate_parse::may_be_parsed(named) => {
                match workers.read(named, bytes, earlier) {
                    Ok(Some(blob)) => blob,
                    Ok(None) => foveate_parse::read_unparsed(named, bytes, &self.limits),
                    Err(error) => {
                        TOLD.call_once(|| tracing::warn!(%error, "{NO_WORKER}"));
                        here()
                    }
                }
            }
            _ => here(),
        }
    }
}

/// Worker processes, which are started when there are too few.
#[derive(Debug)]
struct WorkerPool {
    program: PathBuf,
    limits: Limits,
    idle: Mutex<Idle>,
}

/// The workers that nobody needs at the moment, the last used one last.
#[derive(Debug, Default)]
struct Idle {
    workers: Vec<Worker>,
    /// Whether a thread ends those that wait for long.
    is_reaped: bool,
}

impl WorkerPool {
    /// What a worker makes of the file; `None` where it ended over it, or gave up.
    ///
    /// # Errors
    /// When no worker can be started.
    fn read(
        self: &Arc<Self>,
        named: Option<Language>,
        bytes: &[u8],
        earlier: Option<&Content>,
    ) -> io::Result<Option<Blob>> {
        let request = worker::request(named, bytes, earlier);
        if let Some(worker) = self.take_idle() {
            let asked = Instant::now();
            if let Some(reply) = self.ask(worker, &request) {
                return Ok(worker::blob(&reply));
            }
            if asked.elapsed() > EXITED_BEFORE {
                return Ok(None);
            }
        }
        if let Some(reply) = self.ask(self.start()?, &request) {
            return Ok(worker::blob(&reply));
        }
        self.check()?;
        Ok(None)
    }

    /// Has a new worker parse what every one can.
    ///
    /// # Errors
    /// When it does not: it is not the file that ends workers.
    fn check(self: &Arc<Self>) -> io::Result<()> {
        let request = worker::request(Some(Language::TEXT), b"a", None);
        let reply = self.ask(self.start()?, &request);
        reply
            .map(|_| ())
            .ok_or_else(|| io::Error::other("it ends at once"))
    }

    fn start(&self) -> io::Result<Worker> {
        Worker::start(&self.program, &self.limits)
    }

    /// One that has the priority of this thread, as those have that it starts.
    fn take_idle(&self) -> Option<Worker> {
        let nice = niceness();
        let workers = &mut self.idle.lock().workers;
        let at = workers.iter().rposition(|worker| worker.nice == nice)?;
        Some(workers.remove(at))
    }

    /// The reply of a worker, which then waits for the next file. `None` where it ended.
    fn ask(self: &Arc<Self>, mut worker: Worker, request: &[u8]) -> Option<Vec<u8>> {
        let reply = worker.ask(request).ok()??;
        worker.used = Instant::now();
        let mut idle = self.idle.lock();
        idle.workers.push(worker);
        let is_reaped = std::mem::replace(&mut idle.is_reaped, true);
        drop(idle);
        if !is_reaped {
            self.reap_later();
        }
        Some(reply)
    }

    /// Ends workers that nobody needs, until none waits.
    fn reap_later(self: &Arc<Self>) {
        let pool = Arc::downgrade(self);
        let reaper = std::thread::Builder::new().name("idle-parsers".to_owned());
        // Without it they stay until this process ends.
        let _ = reaper.spawn(move || {
            loop {
                std::thread::sleep(IDLE / 2);
                match pool.upgrade() {
                    Some(pool) if pool.end_old() => {}
                    _ => break,
                }
            }
        });
    }

    /// Ends those that waited for long; whether any is left.
    fn end_old(&self) -> bool {
        let mut idle = self.idle.lock();
        let all = std::mem::take(&mut idle.workers);
        let is_idle = |worker: &Worker| worker.used.elapsed() > IDLE;
        let (old, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_idle);
        idle.is_reaped = !rest.is_empty();
        idle.workers = rest;
        let is_any_left = idle.is_reaped;
        drop(idle);
        drop(old);
        is_any_left
    }
}

/// A process that parses one file after the other.
#[derive(Debug)]
struct Worker {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    used: Instant,
    nice: i32,
}

/// That of this thread on Linux.
fn niceness() -> i32 {
    rustix::process::getpriority_process(None).unwrap_or_default()
}

impl Worker {
    fn start(program: &Path, limits: &Limits) -> io::Result<Self> {
        let mut process = Command::new(program)
            .arg0("foveate")
            .args(worker::arguments(limits))
            // It needs no secret and no directory, and no signal of a terminal is meant for it.
            .env_clear()
            .current_dir("/")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (process.stdin.take(), process.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        Ok(Self {
            process,
            input,
            output: BufReader::new(output),
            used: Instant::now(),
            nice: niceness(),
        })
    }

    /// Its reply; `None` where it has ended.
    fn ask(&mut self, request: &[u8]) -> io::Result<Option<Vec<u8>>> {
        worker::write_frame(&mut self.input, request)?;
        worker::read_frame(&mut self.output)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It has ended already, or waits for a file.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
