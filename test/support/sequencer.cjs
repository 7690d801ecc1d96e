// The slowest files begin first, so that no worker is left with one of them at the end. Jest knows from its last run
// how long each file took. In a fresh clone it sorts by size, which says little about these files.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  'test/e2e/import-promotion.e2e.spec.ts',
  'test/e2e/import.e2e.spec.ts',
  'test/e2e/restore.e2e.spec.ts',
  'libs/practice/records/list-plans.int.spec.ts',
  'test/e2e/proxy.e2e.spec.ts',
  'test/e2e/startup.e2e.spec.ts',
  'test/e2e/read-your-writes.e2e.spec.ts',
  'libs/event-bus/kafka/kafka-event-bus.int.spec.ts',
  'test/e2e/stop.e2e.spec.ts',
  'test/e2e/kafka.e2e.spec.ts',
  'test/e2e/walk.e2e.spec.ts',
  'test/e2e/tenancy.e2e.spec.ts',
  'libs/event-bus/kafka/kafka-publisher.int.spec.ts',
  'libs/projections/rebuild/rebuild-recovery.int.spec.ts',
  'libs/import/validation/corruption.int.spec.ts',
  'test/e2e/observability.e2e.spec.ts',
  'libs/import/extraction/extraction.int.spec.ts',
  'test/e2e/processes.e2e.spec.ts',
  'test/e2e/erasure.e2e.spec.ts',
  'test/e2e/generated-client.e2e.spec.ts',
  'libs/practice/invoices/billing-history.int.spec.ts',
  'libs/import/promotion/promotion.int.spec.ts',
  'libs/reporting/reports-property.int.spec.ts',
  'apps/local/bootstrap.int.spec.ts',
  'libs/projections/rebuild/projection-rebuild.int.spec.ts',
  'test/e2e/contract.e2e.spec.ts',
  'test/chaos/promotion-under-fire.chaos.spec.ts',
  'test/chaos/rebuild-under-fire.chaos.spec.ts',
  'test/chaos/kafka-under-fire.chaos.spec.ts',
];

/** Files with a smaller rank come earlier. */
function rank({ path, duration }) {
  const place = LONG.findIndex((end) => path.endsWith(`/${end}`));
  return duration !== undefined || place < 0 ? LONG.length : place;
}

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
