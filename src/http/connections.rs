//! Accepts connections and serves requests on them, within limits of number and time. A connection that
//! waits for a request's head, new or kept alive, is the first to go where there are too many; a few
//! beyond the limit are accepted for health checks and metrics. It knows no route. `axum::serve` has
//! neither a limit of connections nor a time for a request's head or for taking an answer.

mod table;

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

/// Time in which what was answered reaches the socket when the service stops.
const LINGER: Duration = Duration::from_millis(200);
/// How long, and how much, is read of a body that was refused.
const UNREAD: Duration = Duration::from_secs(2);
const UNREAD_BYTES: u64 = 64 << 20;
/// Time without accepting after the system had no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(50);

/// What connections may cost.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Connections at a time.
    pub max: usize,
    /// Time for a request's head, from the opening of the connection or from the end of the answer
    /// before it.
    pub head_timeout: Duration,
    /// Time in which a client takes no byte of an answer.
    pub write_timeout: Duration,
}

/// What is served on connections.
pub struct Served {
    /// Answers requests.
    pub router: Router,
    /// Has a permit for each request that may be in flight. An answer that is being written holds one, as
    /// its request did.
    pub in_flight: Arc<Semaphore>,
    /// How connections are encrypted; `None`: not.
    pub tls: Option<Arc<Tls>>,
}

/// Serves until `stop` is cancelled; then what waits for a request is closed, and requests in flight
/// finish.
///
/// # Errors
/// When the listener has failed for good.
pub async fn serve(
    listener: TcpListener,
    served: Served,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let table = Arc::new(Table::default());
    let tasks = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_of_one_connection(&error) => continue,
            Err(error) => {
                // Most likely there are too many open files.
                tracing::warn!(%error, "no connection can be accepted");
                table.evict_oldest();
                tokio::time::sleep(NO_ROOM).await;
                continue;
            }
        };
        let Some(place) = table.enter(limits.max) else {
            // Closed without a word: there is nobody to read a request.
            metrics::counter!("foveate_connections_refused_total").increment(1);
            continue;
        };
        let service = Answers {
            router: served.router.clone(),
            in_flight: Arc::clone(&served.in_flight),
            state: Arc::clone(&place.state),
            peer: Peer(peer.ip().to_canonical()),
        };
        let (tls, stop) = (served.tls.clone(), stop.clone());
        tasks.spawn(async move {
            drive(stream, tls, service, limits, stop).await;
            drop(place);
        });
    }
    tasks.close();
    tasks.wait().await;
    Ok(())
}

fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

/// Serves one connection to its end.
async fn drive(
    stream: TcpStream,
    tls: Option<Arc<Tls>>,
    answers: Answers,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    // Answers are written at once and whole.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let stream = Box::pin(stream);
    let Some(tls) = tls else {
        return converse(stream, answers, limits, stop).await;
    };
    let state = Arc::clone(&answers.state);
    let handshake = tokio::time::timeout(limits.head_timeout, tls.accept(stream));
    tokio::select! {
        greeted = handshake => {
            // Whoever does not speak TLS, or too slowly, is no concern of ours.
            if let Ok(Ok(stream)) = greeted {
                converse(stream, answers, limits, stop).await;
            }
        }
        () = state.evicted.cancelled() => {}
        () = stop.cancelled() => {}
    }
}

/// Answers the requests on a connection.
async fn converse<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    answers: Answers,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    let state = Arc::clone(&answers.state);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        Box::pin(answers.clone().answer(request.map(Body::new)))
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        ended = poll_fn(|context| connection.poll_without_shutdown(context)) => {
            // Who leaves in the middle of something is no concern of ours.
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
        tokio::time::sleep(LINGER).await;
    };
    tokio::select! {
        _ = connection => {}
        () = closed => {}
    }
}

/// Closes a connection. What a client still sends of a body that was refused is read for a while: a
/// socket that is closed on unread bytes is reset, and the client loses the answer that says why.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S) {
    if stream.shutdown().await.is_ok() {
        let (mut unread, mut nowhere) = (stream.take(UNREAD_BYTES), tokio::io::sink());
        let read = tokio::io::copy(&mut unread, &mut nowhere);
        let _ = tokio::time::timeout(UNREAD, read).await;
    }
}

/// The address at the other end of a request's connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub IpAddr);

/// What answers the requests of one connection.
#[derive(Clone)]
struct Answers {
    router: Router,
    in_flight: Arc<Semaphore>,
    state: Arc<SlotState>,
    peer: Peer,
}

impl Answers {
    async fn answer(mut self, mut request: Request) -> Result<Response, Infallible> {
        let busy = Busy::new(self.state);
        request.extensions_mut().insert(self.peer);
        let mut response = self.router.call(request).await?;
        let of_key = response.extensions_mut().remove::<InFlight>();
        // The layer that limits requests in flight lets go of its permit here, and a client may take its
        // time with the answer.
        let permit = self.in_flight.try_acquire_owned().ok();
        Ok(response.map(|body| {
            Body::new(Answering {
                body,
                _busy: busy,
                _permit: permit,
                _of_key: of_key,
            })
        }))
    }
}

/// The body of an answer, which keeps its connection from being evicted and counts as a request in
/// flight.
struct Answering {
    body: Body,
    _busy: Busy,
    _permit: Option<OwnedSemaphorePermit>,
    /// Its place among the requests of its key.
    _of_key: Option<InFlight>,
}

impl http_body::Body for Answering {
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
    use super::*;

    #[tokio::test]
    async fn an_answer_is_in_flight_until_it_is_taken() {
        let place = Arc::new(Table::default()).enter(1).unwrap();
        let in_flight = Arc::new(Semaphore::new(1));
        let answers = Answers {
            router: Router::new().route("/", axum::routing::get(|| async { "an answer" })),
            in_flight: Arc::clone(&in_flight),
            state: Arc::clone(&place.state),
            peer: Peer(std::net::Ipv4Addr::LOCALHOST.into()),
        };
        let request = Request::get("/").body(Body::empty()).unwrap();
        let response = answers.answer(request).await.unwrap();
        assert_eq!(in_flight.available_permits(), 0);
        drop(response);
        assert_eq!(in_flight.available_permits(), 1);
    }
}
