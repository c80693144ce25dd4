# syntax=docker/dockerfile:1
# The image contains the program in one file, and the node binary with the libraries that it loads: no shell, no package manager.
# The digest is the one of the index for all platforms. Newer ones are at https://hub.docker.com/_/node.
FROM node:24-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without the folders of the sandbox and the playground, npm installs only the dependencies of the app itself.
COPY packages/runtime/package.json packages/runtime/
COPY packages/slack/package.json packages/slack/
COPY packages/durable/package.json packages/durable/
# The program is built below, once its sources are here.
RUN npm ci --no-audit --no-fund --ignore-scripts
COPY bin ./bin
COPY src ./src
COPY packages ./packages
RUN npm run build
COPY LICENSE ./
RUN sh bin/image.sh "$(command -v node)" /image

FROM scratch
ARG VERSION=unknown REVISION=unknown SOURCE=unknown
LABEL org.opencontainers.image.title="Signalman" \
  org.opencontainers.image.description="Health checks, threat events and certificate orders in Slack" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION" \
  org.opencontainers.image.source="$SOURCE"
ENV NODE_ENV=production DATABASE_URL=sqlite:/data/signalman.db HOST=0.0.0.0 PORT=3000 PATH=/usr/local/bin \
  NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=8 --disable-sigusr1" NODE_COMPILE_CACHE=/app/dist/cache \
  MALLOC_TRIM_THRESHOLD_=131072 MALLOC_ARENA_MAX=1
COPY --from=build /image /
COPY --from=build --chown=1000:1000 /image.data /data
WORKDIR /app
USER 1000:1000
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["signalman"]
CMD ["serve"]
