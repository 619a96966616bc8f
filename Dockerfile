# syntax=docker/dockerfile:1

FROM rust:1.95-trixie AS build
WORKDIR /build
# On aarch64 Rust ships no linker, and the C compiler's linker does not support all options below.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends lld \
    && rm -rf /var/lib/apt/lists/*
COPY . .
# The build context has no repository to read the commit from: --build-arg FOVEATE_COMMIT=$(git rev-parse HEAD).
ARG FOVEATE_COMMIT=""
# Packs the loader's 75,000 relocations (1.8 MB less), merges functions with identical code, and leaves out unwind
# tables for C code, which is never unwound.
ENV CFLAGS="-g0 -fno-asynchronous-unwind-tables" \
    RUSTFLAGS="-C link-arg=-fuse-ld=lld -C link-arg=-Wl,-z,pack-relative-relocs -C link-arg=-Wl,--icf=all -C link-arg=-Wl,-O2"
# The cache mounts keep compiled crates between builds; the program is copied out of them. Some aarch64 machines have
# pages of 64 KiB, for which jemalloc must be configured at build time.
ARG TARGETARCH
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/build/target \
    if [ "$TARGETARCH" = arm64 ]; then export JEMALLOC_SYS_WITH_LG_PAGE=16; fi \
    && cargo build --locked --profile dist --package foveate --bin foveate \
    && cp target/dist/foveate /usr/local/bin/foveate

# The rest of the image: git (2.41 or newer, for the functions of past commits) reads the repositories; certificates
# and ssh are for remote repositories, busybox is the shell.
FROM debian:trixie-slim AS root
# No pinned versions: the current security updates are wanted.
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
# The server can be reached from outside the container, and therefore starts only with a key, a token file or
# FOVEATE__ACCESS__ALLOW_ANONYMOUS=true: `docker run --rm -v data:/data IMAGE key create --scope admin`.
# Mount repositories below /repos; local ones can be registered over HTTP only there. The root file system
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
