# The image of the service, for every role: node dist/main.js. To update a database's schema: node dist/migrate.js

# To pin the image, add a digest: node:24-alpine@sha256:...
ARG NODE_IMAGE=node:24-alpine

FROM ${NODE_IMAGE} AS base
WORKDIR /app
COPY package.json package-lock.json .npmrc ./

FROM base AS build
RUN npm ci
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN npm run build:service

FROM base AS dependencies
# Deletes the source maps of libraries, which are a quarter of their size.
RUN npm ci --omit=dev && npm cache clean --force && find node_modules -name '*.map' -delete

FROM ${NODE_IMAGE}
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
COPY package.json ./
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY lua lua
COPY drizzle drizzle
# A number, so that Kubernetes can verify that it is not root. The service writes only to mounted volumes.
USER 1000:1000
EXPOSE 8080 9464
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# A large young generation: with the default, large batches spend a quarter of their time on garbage collection.
CMD ["node", "--max-semi-space-size=64", "dist/main.js"]
