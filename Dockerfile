FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without the folders of packages/, npm installs what the app itself asks for and nothing of the demo's.
RUN npm ci --no-audit --no-fund
COPY bin ./bin
COPY src ./src
RUN npm run build

FROM node:24-slim
ENV NODE_ENV=production DATABASE_URL=sqlite:/data/signalman.db HOST=0.0.0.0 PORT=3000 \
  NODE_OPTIONS="--disable-warning=ExperimentalWarning --max-semi-space-size=8" NODE_COMPILE_CACHE=/app/dist/cache
WORKDIR /app
RUN mkdir -p /data dist/cache && chown node:node /data dist/cache
COPY --from=build /app/dist ./dist
COPY LICENSE ./
RUN chmod 755 dist/signalman.mjs && ln -s /app/dist/signalman.mjs /usr/local/bin/signalman
USER node
# Without a configuration each verb ends at once, and leaves what V8 compiled of it to those that start later.
RUN for verb in serve "audit verify" rotate-keys; do signalman $verb > /dev/null 2>&1 || true; done \
  && test "$(ls dist/cache/* | wc -l)" -ge 1
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["signalman"]
CMD ["serve"]
