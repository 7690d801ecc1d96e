// An ES module, so that `import()` resolves Emmett's packages from this folder.
export { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
