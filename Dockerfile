# The server with all its engines: docker build -t moraine .

FROM rust:1.95-bookworm AS native
WORKDIR /src
COPY store/slatedb/native .
RUN cargo build --release --locked

FROM golang:1.26-bookworm AS build
ARG VERSION=unknown
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
COPY --from=native /src/target/release/libmoraine_slatedb.a store/slatedb/native/target/release/
RUN go build -tags slatedb -trimpath -ldflags "-s -w -X main.version=$VERSION" -o /moraine ./cmd/moraine

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 999 --create-home --home-dir /var/lib/moraine moraine
COPY --from=build /moraine /usr/local/bin/moraine
USER moraine
WORKDIR /var/lib/moraine
VOLUME /var/lib/moraine
ENV MORAINE_LISTEN=0.0.0.0:5433 MORAINE_LOG_FORMAT=json
EXPOSE 5433
STOPSIGNAL SIGTERM
ENTRYPOINT ["moraine"]
CMD ["serve"]
