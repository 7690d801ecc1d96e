// An ES module, loaded by import(): Emmett's packages are resolved from this folder.
export { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
