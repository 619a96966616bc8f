//! Accepts connections and serves requests on them, within limits of number and time. A connection that
//! waits for a request's head, new or kept alive, is the first to go where there are too many; a few
//! beyond the limit are kept for health checks and metrics. It knows no route.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

/// Connections beyond the limit, which may ask for health and metrics alone.
const RESERVE: usize = 16;
/// Time in which what was answered reaches the socket when the service stops.
const LINGER: Duration = Duration::from_millis(200);
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

/// Marks requests on one of the connections beyond the limit.
#[derive(Clone, Copy, Debug)]
pub struct Reserved;

/// Serves until `stop` is cancelled; then what waits for a request is closed, and requests in flight
/// finish.
///
/// # Errors
/// When the listener has failed for good.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    stop: CancellationToken,
) -> io::Result<()> {
    let table = Arc::new(Table::default());
    let tasks = TaskTracker::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let stream = match accepted {
            Ok((stream, _)) => stream,
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
        tasks.spawn(drive(stream, router.clone(), place, limits, stop.clone()));
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
    router: Router,
    place: Place,
    limits: ConnectionLimits,
    stop: CancellationToken,
) {
    // Answers are written at once and whole.
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let seat = Arc::clone(&place.seat);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        answer(router.clone(), Arc::clone(&seat), request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .serve_connection(TokioIo::new(Box::pin(stream)), service);
    let mut connection = pin!(connection);
    tokio::select! {
        // Who leaves in the middle of something is no concern of ours.
        _ = connection.as_mut() => return,
        () = seat.evicted.cancelled() => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let closed = async {
        seat.until_waiting().await;
        tokio::time::sleep(LINGER).await;
    };
    tokio::select! {
        _ = connection => {}
        () = closed => {}
    }
}

async fn answer(
    mut router: Router,
    seat: Arc<Seat>,
    request: hyper::Request<Incoming>,
) -> Result<Response, Infallible> {
    let mut request: Request = request.map(Body::new);
    if seat.is_reserved {
        request.extensions_mut().insert(Reserved);
    }
    let busy = Busy::new(seat);
    let response = router.call(request).await?;
    Ok(response.map(|body| Body::new(Answering { body, _busy: busy })))
}

/// The connections there are.
#[derive(Debug, Default)]
struct Table(Mutex<Seats>);

#[derive(Debug, Default)]
struct Seats {
    count: usize,
    /// Those that wait for a request, by when they began to.
    waiting: BTreeMap<u64, CancellationToken>,
    next: u64,
}

/// A connection's place among the others, given back when it is dropped.
struct Place {
    seat: Arc<Seat>,
}

/// What is known of one connection.
#[derive(Debug)]
struct Seat {
    table: Arc<Table>,
    is_reserved: bool,
    /// Cancelled where another connection needs the room.
    evicted: CancellationToken,
    /// Its key among those that wait; `None` while a request is answered.
    waits: tokio::sync::watch::Sender<Option<u64>>,
}

impl Table {
    fn seats(&self) -> MutexGuard<'_, Seats> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn evict_oldest(&self) -> bool {
        match self.seats().waiting.pop_first() {
            Some((_, evicted)) => {
                metrics::counter!("foveate_connections_evicted_total").increment(1);
                evicted.cancel();
                true
            }
            None => false,
        }
    }

    /// A place for a new connection; `None` where all others are being answered, and the reserve is
    /// used up.
    fn enter(self: &Arc<Self>, max: usize) -> Option<Place> {
        let is_full = self.seats().count >= max;
        let is_reserved = is_full && !self.evict_oldest();
        let mut seats = self.seats();
        if is_reserved && seats.count >= max + RESERVE {
            return None;
        }
        seats.count += 1;
        drop(seats);
        let seat = Arc::new(Seat {
            table: Arc::clone(self),
            is_reserved,
            evicted: CancellationToken::new(),
            waits: tokio::sync::watch::Sender::new(None),
        });
        seat.wait();
        Some(Place { seat })
    }
}

impl Seat {
    fn wait(&self) {
        let mut seats = self.table.seats();
        let key = seats.next;
        seats.next += 1;
        seats.waiting.insert(key, self.evicted.clone());
        self.waits.send_replace(Some(key));
    }

    fn work(&self) {
        let mut seats = self.table.seats();
        if let Some(key) = self.waits.send_replace(None) {
            seats.waiting.remove(&key);
        }
    }

    async fn until_waiting(&self) {
        // The sender lives as long as the seat.
        let _ = self.waits.subscribe().wait_for(Option::is_some).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.seat.work();
        self.seat.table.seats().count -= 1;
    }
}

/// A request in flight, until its answer is written.
struct Busy(Arc<Seat>);

impl Busy {
    fn new(seat: Arc<Seat>) -> Self {
        seat.work();
        Self(seat)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// The body of an answer, which keeps its connection from being evicted.
struct Answering {
    body: Body,
    _busy: Busy,
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

    #[test]
    fn the_connection_that_waits_longest_leaves_first() {
        let table = Arc::new(Table::default());
        let places: Vec<Place> = (0..3).map(|_| table.enter(3).unwrap()).collect();
        let busy = Busy::new(Arc::clone(&places[0].seat));
        let fourth = table.enter(3).unwrap();
        let is_evicted = |place: &Place| place.seat.evicted.is_cancelled();
        assert_eq!(
            [false, true, false],
            [0, 1, 2].map(|n| is_evicted(&places[n]))
        );
        assert!(!fourth.seat.is_reserved);
        drop(busy);
        // It waits again, and for less time than the others.
        let _fifth = table.enter(3).unwrap();
        assert!(is_evicted(&places[2]) && !is_evicted(&places[0]));
    }

    #[test]
    fn where_all_are_busy_a_reserve_is_left() {
        let table = Arc::new(Table::default());
        let busy = |place: &Place| Busy::new(Arc::clone(&place.seat));
        let place = table.enter(1).unwrap();
        let _busy = busy(&place);
        let mut reserve = Vec::new();
        while let Some(place) = table.enter(1) {
            assert!(place.seat.is_reserved);
            reserve.push((busy(&place), place));
        }
        assert_eq!(reserve.len(), RESERVE);
        drop(reserve);
        assert!(table.enter(1).is_some());
        assert_eq!(table.seats().count, 1);
        assert!(table.seats().waiting.is_empty());
    }
}
