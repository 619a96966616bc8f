//! Accepts connections and serves requests on them, within limits of number and time. At the limit, the
//! connection that has waited longest for a request's head, new or kept alive, is evicted; a few connections
//! beyond the limit are accepted for health checks and metrics. It knows no route. `axum::serve` has no limit
//! of connections, and no timeout for a request's head or for writing an answer.

mod table;
mod unwritten;

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::response::Response;
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::tls::Tls;
use crate::access::InFlight;
use table::{Busy, SlotState, Table};
use unwritten::{FlushNotifier, Unwritten};

/// Time at shutdown for written answers to reach the socket.
const SHUTDOWN_LINGER: Duration = Duration::from_millis(200);
/// Maximum time and maximum bytes for reading the rest of a refused body.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);
const DRAIN_BYTES: u64 = 64 << 20;
/// Delay after accepting failed, most likely for lack of file descriptors.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Limits of connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Maximum connections at a time.
    pub max: usize,
    /// Timeout for a request's head, from the opening of the connection or from the end of the previous
    /// answer.
    pub head_timeout: Duration,
    /// Longest time without progress while an answer is written to the client.
    pub write_timeout: Duration,
}

/// What [`serve`] needs to answer requests.
pub struct ServeContext {
    /// Routes the requests.
    pub router: Router,
    /// Has a permit for each request that may be in flight. An answer holds one until it is written.
    pub in_flight: Arc<Semaphore>,
    /// TLS configuration; `None` serves plain HTTP.
    pub tls: Option<Arc<Tls>>,
}

/// Serves until `stop` is cancelled; then closes idle connections and lets requests in flight finish.
pub async fn serve(
    listener: TcpListener,
    served: ServeContext,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let table = Arc::new(Table::default());
    let tasks = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_connection_error(&error) => continue,
            Err(error) => {
                // Most likely there are too many open files.
                tracing::warn!(%error, "cannot accept a connection");
                table.evict_oldest();
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let Some(slot) = table.enter(limits.max) else {
            // Closed without a response: no request is read.
            metrics::counter!("foveate_connections_refused_total").increment(1);
            continue;
        };
        let service = ConnectionService {
            router: served.router.clone(),
            in_flight: Arc::clone(&served.in_flight),
            state: Arc::clone(&slot.state),
            unwritten: Unwritten::default(),
            peer: PeerAddress(peer.ip().to_canonical()),
        };
        let (tls, stop) = (served.tls.clone(), stop.clone());
        tasks.spawn(async move {
            serve_connection(stream, tls, service, limits, stop).await;
            drop(slot);
        });
    }
    tasks.close();
    tasks.wait().await;
}

fn is_connection_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// Serves one connection until it ends.
async fn serve_connection(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    service: ConnectionService,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    // Answers are written at once and whole, so Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let stream = Box::pin(stream);
    let Some(tls) = tls else {
        return serve_requests(stream, service, limits, stop).await;
    };
    let state = Arc::clone(&service.state);
    let handshake = tokio::time::timeout(limits.head_timeout, tls.accept(stream));
    tokio::select! {
        accepted = handshake => {
            // Failed and timed out handshakes are the client's problem and not logged.
            if let Ok(Ok(stream)) = accepted {
                serve_requests(stream, service, limits, stop).await;
            }
        }
        () = state.evicted.cancelled() => {}
        () = stop.cancelled() => {}
    }
}

/// Serves the requests on a connection.
async fn serve_requests<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    service: ConnectionService,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let state = Arc::clone(&service.state);
    let unwritten = service.unwritten.clone();
    let stream = FlushNotifier { stream, unwritten };
    let handler = service_fn(|request: hyper::Request<Incoming>| {
        Box::pin(service.clone().answer(request.map(Body::new)))
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .serve_connection(TokioIo::new(stream), handler);
    tokio::select! {
        ended = poll_fn(|context| connection.poll_without_shutdown(context)) => {
            // A connection broken by the client is not an error.
            if ended.is_ok() {
                let closed = close(connection.into_parts().io.into_inner());
                state.evicted.run_until_cancelled(closed).await;
            }
            return;
        }
        () = state.evicted.cancelled() => return,
        () = stop.cancelled() => Pin::new(&mut connection).graceful_shutdown(),
    }
    let closed = async {
        state.until_waiting().await;
        tokio::time::sleep(SHUTDOWN_LINGER).await;
    };
    tokio::select! {
        _ = connection => {}
        () = closed => {}
    }
}

/// Closes a connection. The rest of a refused body is read for a while: closing a socket with unread bytes
/// resets it, and the client would lose the answer that tells the reason.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    if stream.shutdown().await.is_ok() {
        let (mut unread, mut sink) = (stream.take(DRAIN_BYTES), tokio::io::sink());
        let read = tokio::io::copy(&mut unread, &mut sink);
        let _ = tokio::time::timeout(DRAIN_TIMEOUT, read).await;
    }
}

/// Remote address of a request's connection.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub IpAddr);

/// The service for the requests of one connection.
#[derive(Clone)]
struct ConnectionService {
    router: Router,
    in_flight: Arc<Semaphore>,
    state: Arc<SlotState>,
    unwritten: Unwritten,
    peer: PeerAddress,
}

impl ConnectionService {
    async fn answer(mut self, mut request: Request) -> Result<Response, Infallible> {
        let busy = Busy::new(self.state);
        request.extensions_mut().insert(self.peer);
        let mut response = self.router.call(request).await?;
        let key_slot = response.extensions_mut().remove::<InFlight>();
        // The layer that limits requests in flight releases its permit here, but the client may be slow to
        // read the answer.
        let permit = self.in_flight.try_acquire_owned().ok();
        let guards = AnswerGuards {
            _busy: busy,
            _permit: permit,
            _key_slot: key_slot,
        };
        Ok(response.map(|body| {
            Body::new(AnswerBody {
                body,
                guards: Some(guards),
                unwritten: self.unwritten,
            })
        }))
    }
}

/// Protects the connection of an answer from eviction, and counts the answer as a request in flight.
struct AnswerGuards {
    _busy: Busy,
    _permit: Option<OwnedSemaphorePermit>,
    /// The slot among the requests of its key.
    _key_slot: Option<InFlight>,
}

/// The body of an answer. hyper drops it once all of it is in the buffer of the connection.
struct AnswerBody {
    body: Body,
    guards: Option<AnswerGuards>,
    unwritten: Unwritten,
}

impl Drop for AnswerBody {
    fn drop(&mut self) {
        if let Some(guards) = self.guards.take() {
            self.unwritten.add(guards);
        }
    }
}

impl http_body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::DuplexStream;

    use super::*;

    const ANSWER_BYTES: usize = 100_000;

    /// A connection of which the client has read only the start of an answer.
    struct SlowReader {
        client: DuplexStream,
        read: usize,
        table: Arc<Table>,
        in_flight: Arc<Semaphore>,
        stop: CancellationToken,
        server: tokio::task::JoinHandle<()>,
    }

    impl SlowReader {
        async fn start() -> Self {
            let table = Arc::new(Table::default());
            let slot = table.enter(1).unwrap();
            let in_flight = Arc::new(Semaphore::new(1));
            let answer = || async { "x".repeat(ANSWER_BYTES) };
            let service = ConnectionService {
                router: Router::new().route("/", axum::routing::get(answer)),
                in_flight: Arc::clone(&in_flight),
                state: Arc::clone(&slot.state),
                unwritten: Unwritten::default(),
                peer: PeerAddress(std::net::Ipv4Addr::LOCALHOST.into()),
            };
            let limits = ConnectionLimits {
                max: 1,
                head_timeout: Duration::from_secs(60),
                write_timeout: Duration::from_secs(60),
            };
            let stop = CancellationToken::new();
            let (mut client, stream) = tokio::io::duplex(4096);
            let stopped = stop.clone();
            let server = tokio::spawn(async move {
                serve_requests(stream, service, limits, stopped).await;
                drop(slot);
            });
            let request = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n";
            client.write_all(request).await.unwrap();
            let read = client.read(&mut [0; 64]).await.unwrap();
            Self {
                client,
                read,
                table,
                in_flight,
                stop,
                server,
            }
        }

        /// Reads the answer but for what the buffer of the connection can hold.
        async fn read_rest(&mut self) {
            let mut part = vec![0; 4096];
            while self.read < ANSWER_BYTES {
                let read = self.client.read(&mut part).await.unwrap();
                assert_ne!(read, 0, "{} bytes of the answer came", self.read);
                self.read += read;
            }
        }
    }

    #[tokio::test]
    async fn answer_is_in_flight_until_it_is_written() {
        let mut reader = SlowReader::start().await;
        assert_eq!(reader.in_flight.available_permits(), 0);
        assert!(!reader.table.evict_oldest());
        reader.read_rest().await;
        let written = tokio::time::timeout(Duration::from_secs(60), reader.in_flight.acquire());
        assert!(written.await.is_ok());
        assert!(reader.table.evict_oldest());
    }

    #[tokio::test]
    async fn answer_to_a_slow_reader_is_written_when_the_server_stops() {
        let mut reader = SlowReader::start().await;
        reader.stop.cancel();
        tokio::time::sleep(SHUTDOWN_LINGER * 2).await;
        reader.read_rest().await;
        reader.server.await.unwrap();
    }

    #[tokio::test]
    async fn answer_is_not_in_flight_after_its_client_left() {
        let reader = SlowReader::start().await;
        drop(reader.client);
        reader.server.await.unwrap();
        assert_eq!(reader.in_flight.available_permits(), 1);
        assert!(!reader.table.evict_oldest(), "its slot is free");
    }
}
