# The image of the service, for every role:
#   docker build --tag holdfast .
# To update a database's schema: docker run --entrypoint node holdfast dist/migrate.js
# The command line: docker run --entrypoint holdfast holdfast --help
#
# The target standalone adds a Redis, to try Holdfast or to run it on one machine:
#   docker build --target standalone --tag holdfast:standalone .
#   docker run -p 8080:8080 -v holdfast:/data holdfast:standalone

# Dependabot updates the digest. To build with another image: docker build --build-context runtime=docker-image://<image> .
FROM node:24-alpine@sha256:a0b9bf06e4e6193cf7a0f58816cc935ff8c2a908f81e6f1a95432d679c54fbfd AS runtime

FROM runtime AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
COPY packages/client/package.json packages/client/
COPY packages/client/src packages/client/src
# GET /version shows them. VERSION is for releases only. For a build of your own: --build-arg COMMIT=$(git rev-parse HEAD)
ARG VERSION
ARG COMMIT
RUN npm run build:service

FROM base AS dependencies
# Deletes the source maps of libraries, which are a quarter of their size.
RUN npm ci --omit=dev && npm cache clean --force && find node_modules -name '*.map' -delete

FROM runtime AS service
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY lua lua
COPY drizzle drizzle
RUN ln -s /app/dist/holdfast.js /usr/local/bin/holdfast
# A number, so that Kubernetes can verify that it is not root. The service writes only to mounted volumes.
USER 1000:1000
EXPOSE 8080 9464
# Busybox, since a Node process would take much of a second of CPU each time. In a shell, for the port.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s CMD wget -qO /dev/null "http://127.0.0.1:$PORT/healthz"
# A large young generation: with the default, large batches spend a quarter of their time on garbage collection.
# Full collections only once 80 % of the room is used up: with a young generation this large, V8 starts them too early.
# Collections on the main thread: an instance has one core, and V8's helpers would take it, or that of Redis, meanwhile.
ENTRYPOINT ["node", "--max-semi-space-size=64", "--single-threaded-gc", "--incremental-marking-hard-trigger=80", "dist/main.js"]
ARG VERSION
ARG COMMIT
LABEL org.opencontainers.image.title=Holdfast \
  org.opencontainers.image.licenses=MIT \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$COMMIT

FROM service AS standalone
USER root
RUN apk add --no-cache redis && install -d -o 1000 -g 1000 /data
USER 1000:1000
VOLUME /data
ENTRYPOINT ["node", "--max-semi-space-size=64", "--single-threaded-gc", "--incremental-marking-hard-trigger=80", "dist/standalone.js", "/data"]

# The last target is the default one.
FROM service
