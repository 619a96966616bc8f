# syntax=docker/dockerfile:1

FROM rust:1.95-trixie AS build
WORKDIR /build
COPY . .
# The caches keep what was compiled between builds; the program is copied out of them.
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    cargo build --locked --profile dist --package foveate --bin foveate \
    && cp target/dist/foveate /usr/local/bin/foveate

FROM debian:trixie-slim
# git (2.41 or newer, for the functions of past commits) reads the repositories; certificates and ssh are for those that are cloned.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --shell /usr/sbin/nologin foveate \
    && install --directory --owner=foveate --group=foveate /data \
    && install --directory /repos
COPY --from=build /usr/local/bin/foveate /usr/local/bin/foveate

USER 10001:10001
# The server can be reached from outside the container, and so starts only with a key, a token file or
# FOVEATE__ACCESS__ALLOW_ANONYMOUS=true: `docker run --rm -v data:/data IMAGE key create --scope admin`.
# Repositories are mounted below /repos; only there may local ones be registered over HTTP.
ENV FOVEATE__SERVER__LISTEN=0.0.0.0:7878 \
    FOVEATE__STORAGE__DATA_DIR=/data \
    FOVEATE__REPOS__ALLOW_PATHS=[/repos] \
    FOVEATE__LOG__FORMAT=json
VOLUME /data
EXPOSE 7878
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 \
    CMD ["foveate", "health", "--server", "http://127.0.0.1:7878"]
ENTRYPOINT ["foveate"]
CMD ["serve"]
