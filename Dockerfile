# The program in a small image: docker build -t fedbits . ; docker run --rm -v "$PWD:/work" fedbits run quickstart
FROM rust:1.92-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package fedbits --bin fedbits

FROM debian:bookworm-slim
COPY --from=build /source/target/dist/fedbits /usr/local/bin/fedbits
# What was not mounted here is lost with the container.
WORKDIR /work
ENTRYPOINT ["fedbits"]
