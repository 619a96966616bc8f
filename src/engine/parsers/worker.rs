//! The process that parses for another one: `foveate parse-worker`. It reads requests from its standard input
//! and writes replies to its standard output, until the input ends. Both are frames: the length in four bytes,
//! then so many bytes.

use std::io::{self, Read, Write};
use std::time::Duration;

use foveate_index::stored::facts::{self, Blob};
use foveate_model::{Content, Language};
use foveate_parse::{Limits, languages};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::telemetry::process;

/// The command of the program that is a worker.
pub const COMMAND: &str = "parse-worker";
/// In the place of a language's code: the content says which it is.
const BY_CONTENT: u8 = u8::MAX;
/// Memory of a worker, in bytes, and for each byte of the largest file. A file that people wrote takes about 50 for
/// each of its own; the stack that is set aside for the parser is 256.
const MEMORY: u64 = 256 << 20;
const MEMORY_PER_BYTE: u64 = 1024;
/// Of the memory of the machine or container a worker gets one of so many parts at most: where it ends for want of
/// memory, some take all processes of a container with it.
const MEMORY_PART: u64 = 4;
/// What a worker needs for any file of ordinary size, in bytes.
const LEAST_MEMORY: u64 = 512 << 20;
/// Processor time for what surrounds parsing itself.
const MARGIN: Duration = Duration::from_secs(4);

/// The arguments of a worker, which the command line reads.
pub fn arguments(limits: &Limits) -> Vec<String> {
    vec![
        COMMAND.to_owned(),
        format!("--max-bytes={}", limits.max_bytes),
        format!("--max-steps={}", limits.max_steps),
        format!("--timeout-ms={}", limits.timeout.as_millis()),
        format!("--max-depth={}", limits.max_depth),
    ]
}

/// Parses what is requested on standard input until that ends.
///
/// # Errors
/// When its memory cannot be bounded, or whoever asks has gone.
pub fn serve(limits: &Limits) -> io::Result<()> {
    bound_memory(limits)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    while let Some(request) = read_frame(&mut input)? {
        bound_time(limits)?;
        let reply = answer(&request, limits).ok_or(io::ErrorKind::InvalidData)?;
        write_frame(&mut output, &reply)?;
    }
    Ok(())
}

/// What is allocated beyond it ends the process, and so does the system before any other one where memory is
/// short.
fn bound_memory(limits: &Limits) -> io::Result<()> {
    let bytes = MEMORY.saturating_add(limits.max_bytes.saturating_mul(MEMORY_PER_BYTE));
    let part = process::memory_limit().map_or(u64::MAX, |all| all as u64 / MEMORY_PART);
    limit(Resource::As, bytes.min(part.max(LEAST_MEMORY)))?;
    // A process that is meant to end leaves no image of it.
    limit(Resource::Core, 0)?;
    // Not where the system has no such file.
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
    Ok(())
}

/// Ends the process when the file at hand takes longer than its parser lets it.
fn bound_time(limits: &Limits) -> io::Result<()> {
    let spent = clock_gettime(ClockId::ProcessCPUTime);
    let spent = u64::try_from(spent.tv_sec).unwrap_or_default();
    limit(
        Resource::Cpu,
        spent + (limits.timeout + MARGIN).as_secs().saturating_add(1),
    )
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

/// A request: the code of the language that the name suggests, the length of what the file was before in four
/// bytes, that as it is stored, and the bytes of the file.
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

/// The reply to a request: what is stored of a blob, or nothing where it was not parsed in time. `None` where it
/// is no request.
fn answer(request: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let (code, rest) = request.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (earlier, bytes) = rest.split_at_checked(length)?;
    let earlier = facts::decode(earlier, facts::FORMAT, languages::by_code);
    let earlier = earlier.and_then(|(_, content)| content.ok());
    let named = languages::by_code(*code).filter(|_| *code != BY_CONTENT);
    let (language, content) = foveate_parse::read_after(named, bytes, earlier.as_ref(), limits);
    Some(facts::encode(language, content.as_ref()).unwrap_or_default())
}

/// What a reply says.
pub(super) fn blob(reply: &[u8]) -> Option<Blob> {
    facts::decode(reply, facts::FORMAT, languages::by_code)
}

pub(super) fn write_frame(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// The next frame; `None` at the end.
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
