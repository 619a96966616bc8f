//! Runs the worker process `foveate parse-worker`, which parses for its parent process: reads requests from
//! standard input and writes replies to standard output, until the input ends. Both are frames: the length in
//! four bytes, little-endian, then as many bytes.

use std::io::{self, Read, Write};
use std::time::Duration;

use foveate_index::stored::facts::{self, Blob};
use foveate_model::{Content, Language};
use foveate_parse::{Limits, languages};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::telemetry::process;

/// Name of the subcommand that runs a worker.
pub const COMMAND: &str = "parse-worker";
/// Stands for the language code where the name suggests no language: it is detected from the content.
const BY_CONTENT: u8 = u8::MAX;
/// Memory limit of a worker: `MEMORY` bytes, and `MEMORY_PER_BYTE` for each byte of the largest file that it has read.
/// A file written by people takes about 50 bytes for each of its own; the stack reserved for the parser takes 256.
const MEMORY: u64 = 256 << 20;
const MEMORY_PER_BYTE: u64 = 1024;
/// Divisor: a worker gets at most `1 / MEMORY_PART` of the memory of the machine or container. Where a container runs
/// out of memory, some systems kill all of its processes.
const MEMORY_PART: u64 = 4;
/// Memory limit in bytes that is enough for any file of ordinary size.
const MIN_MEMORY: u64 = 512 << 20;
/// CPU time allowed for a file, as a multiple of the parser's timeout: what follows the parser takes less than it.
const TIME_FACTOR: u32 = 2;

/// Returns the arguments of a worker, as the command line reads them.
pub fn arguments(limits: &Limits) -> Vec<String> {
    vec![
        COMMAND.to_owned(),
        format!("--max-bytes={}", limits.max_bytes),
        format!("--max-steps={}", limits.max_steps),
        format!("--timeout-ms={}", limits.timeout.as_millis()),
        format!("--max-depth={}", limits.max_depth),
    ]
}

/// Serves requests from standard input until it ends.
///
/// # Errors
/// When the memory cannot be limited, a request is malformed, or the parent process is gone.
pub fn serve(limits: &Limits) -> io::Result<()> {
    expect_crashes()?;
    let max_memory = max_memory();
    let mut longest = 0;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_frame(&mut input)? {
        // The memory of the longest file stays reserved for this process.
        longest = longest.max(request.len());
        let memory = MEMORY.saturating_add(MEMORY_PER_BYTE.saturating_mul(longest as u64));
        limit(Resource::As, memory.min(max_memory))?;
        bound_time(&limits.for_text(request.len()))?;
        let reply = answer(&request, limits).ok_or(io::ErrorKind::InvalidData)?;
        write_frame(&mut output, &reply)?;
    }
    Ok(())
}

/// Writes no core dump. Where the system runs out of memory, it ends this process before any other.
fn expect_crashes() -> io::Result<()> {
    limit(Resource::Core, 0)?;
    // Fails where the system has no such file.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

/// Returns the maximum memory of a worker in bytes, whatever it reads.
fn max_memory() -> u64 {
    let part = process::memory_limit().map_or(u64::MAX, |all| all as u64 / MEMORY_PART);
    part.max(MIN_MEMORY)
}

/// Ends the process when the current file takes more CPU time than its parser should allow.
fn bound_time(limits: &Limits) -> io::Result<()> {
    let spent = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
    let end = spent + limits.timeout * TIME_FACTOR;
    limit(Resource::Cpu, end.as_secs().saturating_add(1))
}

fn limit(resource: Resource, current: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(resource);
    let current = maximum.map_or(current, |maximum| maximum.min(current));
    let limit = Rlimit {
        current: Some(current),
        maximum,
    };
    Ok(setrlimit(resource, limit)?)
}

/// Encodes a request: the code of the language that the name suggests, the length of the stored form of the file's
/// earlier content in four bytes, that stored form, and the bytes of the file.
pub(super) fn request(named: Option<Language>, bytes: &[u8], earlier: Option<&Content>) -> Vec<u8> {
    let code = named.map_or(BY_CONTENT, |language| language.rules().code);
    let language = named.unwrap_or(Language::TEXT);
    let earlier = earlier.and_then(|content| facts::encode(language, Ok(content)));
    let earlier = earlier.unwrap_or_default();
    let length = u32::try_from(earlier.len()).unwrap_or_default();
    let mut request = vec![code];
    request.extend(length.to_le_bytes());
    request.extend(earlier.get(..length as usize).unwrap_or_default());
    request.extend(bytes);
    request
}

/// Returns the reply to a request: the stored form of the parsed blob. Empty where there is none, as after a parse
/// timeout. `None` where the request is malformed.
fn answer(request: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let (code, rest) = request.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (earlier, bytes) = rest.split_at_checked(length)?;
    let earlier = facts::decode(earlier, languages::by_code);
    let earlier = earlier.and_then(|(_, content)| content.ok());
    let named = languages::by_code(*code).filter(|_| *code != BY_CONTENT);
    let (language, content) = foveate_parse::read_after(named, bytes, earlier.as_ref(), limits);
    Some(facts::encode(language, content.as_ref()).unwrap_or_default())
}

/// Decodes a reply.
pub(super) fn blob(reply: &[u8]) -> Option<Blob> {
    facts::decode(reply, languages::by_code)
}

pub(super) fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// Reads the next frame; `None` where the input ends.
pub(super) fn read_frame(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let length = u64::from(u32::from_le_bytes(length));
    let mut bytes = Vec::new();
    let read = from.take(length).read_to_end(&mut bytes)?;
    Ok((read as u64 == length).then_some(bytes))
}
