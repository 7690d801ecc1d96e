// The files that take longest begin first, so that no worker is left alone with one of them at the end. Jest knows from
// its last run how long each took; in a fresh clone it goes by the size of the file, which for these says little.
const { default: Sequencer } = require('@jest/test-sequencer');

const LONG = [
  'test/e2e/proxy.e2e.spec.ts',
  'test/e2e/restore.e2e.spec.ts',
  'test/e2e/startup.e2e.spec.ts',
  'test/e2e/kafka.e2e.spec.ts',
  'libs/practice/records/list-plans.int.spec.ts',
  'libs/projections/rebuild-recovery.int.spec.ts',
  'test/e2e/erasure.e2e.spec.ts',
  'libs/projections/projection-rebuild.int.spec.ts',
  'libs/event-bus/kafka/kafka-publisher.int.spec.ts',
  'test/e2e/stop.e2e.spec.ts',
  'test/e2e/image.e2e.spec.ts',
  'test/e2e/observability.e2e.spec.ts',
  'libs/event-store/streams/stream-rebuild.int.spec.ts',
  'apps/local/bootstrap.int.spec.ts',
  'test/chaos/kafka-under-fire.chaos.spec.ts',
  'test/chaos/rebuild-under-fire.chaos.spec.ts',
];

/** Smaller is earlier. */
function rank({ path, duration }) {
  const place = LONG.findIndex((end) => path.endsWith(`/${end}`));
  return duration !== undefined || place < 0 ? LONG.length : place;
}

module.exports = class extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rank(one) - rank(other));
  }
};
