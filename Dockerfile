FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build
# A new volume takes its rights from the folder that it is mounted on.
RUN mkdir -p /volumes/documents && chmod 1777 /volumes/documents

FROM node:20-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# without the optional packages, which are the embedded PostgreSQL of development
RUN npm install --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY package.json openapi.json ./
COPY migrations migrations
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/apps dist/apps
COPY --from=build /app/dist/libs dist/libs
COPY --from=build /volumes /volumes
USER node
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=8s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Requests are short-lived objects: a larger young generation halves the time spent collecting them.
ENTRYPOINT ["node", "--max-semi-space-size=64"]
CMD ["dist/apps/command/main.js"]
