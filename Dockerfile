# The image of the server. Build: docker build -t vivace .
# Run: docker run -d --name vivace --read-only --tmpfs /tmp --ulimit core=0 --stop-timeout 35 -p 8000:8000 -v vivace-data:/data vivace
# The steps are in deploy/image-steps.sh, which also runs without Docker. For a build that can be repeated, name the base images by digest:
# docker buildx imagetools inspect IMAGE --format '{{.Manifest.Digest}}' (renovate.json does it in each update).

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
COPY deploy/image-steps.sh deploy/
RUN deploy/image-steps.sh install
COPY . .
# The build fails if one of them cannot be had: PROFILES=embedded asks for an image of low assurance.
ARG PROFILES="embedded standard"
# Where the networks are downloaded from: an address, or a folder of the build context.
ARG MODELS_MIRROR=
# "core" and "auto" include ffmpeg's core (GPL) unless wasm/video/build.sh was run before; "none" leaves our own decoder of clips alone.
ARG VIDEO=auto
RUN PROFILES="$PROFILES" MODELS_MIRROR="$MODELS_MIRROR" VIDEO="$VIDEO" deploy/image-steps.sh build /app && mkdir -m 700 /data

# Node and nothing else: no shell, no package manager.
FROM gcr.io/distroless/nodejs22-debian12:nonroot
COPY --from=build --chown=root:root /app /app
COPY --from=build --chown=65532:65532 /data /data
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8000 DATA_DIR=/data
# By number, so that Kubernetes can tell that it is not root.
USER 65532:65532
VOLUME /data
EXPOSE 8000
# --stop-timeout 35: more than SHUTDOWN_DELAY (0 s) and SHUTDOWN_TIMEOUT (30 s) together
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s --retries=3 CMD ["/nodejs/bin/node", "dist/node/health.mjs"]
CMD ["dist/node/server.mjs"]
