# syntax=docker/dockerfile:1

FROM rust:1.95-trixie AS build
WORKDIR /build
# Where Rust brings no linker of its own (aarch64), the C compiler's does not know all of the options below.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends lld \
    && rm -rf /var/lib/apt/lists/*
COPY . .
# The image has no repository that could say it: --build-arg FOVEATE_COMMIT=$(git rev-parse HEAD).
ARG FOVEATE_COMMIT=""
# The 75,000 addresses that the loader has to move are packed (1.8 MB less), functions with the same code are kept once,
# and C code, which nothing unwinds, has no tables for it.
ENV CFLAGS="-g0 -fno-asynchronous-unwind-tables" \
    RUSTFLAGS="-C link-arg=-fuse-ld=lld -C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-O2"
# The caches keep what was compiled between builds; the program is copied out of them. Some machines with aarch64 have
# pages of 64 KiB, for which jemalloc must have been built.
ARG TARGETARCH
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    if [ "$TARGETARCH" = arm64 ]; then export JEMALLOC_SYS_WITH_LG_PAGE=16; fi \
    && cargo build --locked --profile dist --package foveate --bin foveate \
    && cp target/dist/foveate /usr/local/bin/foveate

# Everything else that the image has: git (2.41 or newer, for the functions of past commits) reads the
# repositories; certificates and ssh are for those that are cloned, busybox is the shell.
FROM debian:trixie-slim AS root
# The security updates of the release are wanted, whatever their version.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends busybox ca-certificates git openssh-client \
    && rm -rf /var/lib/apt/lists/*
COPY ci/image-root.sh /usr/local/bin/
COPY --from=build /usr/local/bin/foveate /usr/local/bin/foveate
RUN image-root.sh /image /usr/local/bin/foveate

FROM scratch
LABEL org.opencontainers.image.title="Foveate" \
      org.opencontainers.image.description="Answers which code a reader must see for an issue" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=root /image /
COPY --from=build /usr/local/bin/foveate /usr/bin/foveate

USER 10001:10001
# The server can be reached from outside the container, and so starts only with a key, a token file or
# FOVEATE__ACCESS__ALLOW_ANONYMOUS=true: `docker run --rm -v data:/data IMAGE key create --scope admin`.
# Repositories are mounted below /repos; only there may local ones be registered over HTTP. The root file system
# may be read-only (--read-only --tmpfs /tmp).
ENV PATH=/usr/bin \
    HOME=/data \
    FOVEATE__SERVER__LISTEN=0.0.0.0:7878 \
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
