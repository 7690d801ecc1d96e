import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import { LIMIT, SILENCE_MS, SourceTrial, step } from '../testing/source-trial';

describe('a source over Kafka', () => {
  beforeEach(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterEach(() => jest.restoreAllMocks());

  it('gives every event once and in order, whatever comes through Kafka', async () => {
    const steps = fc.array(step, { maxLength: 60, size: 'max' });
    const property = fc.asyncProperty(steps, fc.integer({ min: 1, max: LIMIT }), async (all, room) => {
      const trial = new SourceTrial();
      trial.kafka.room = room;
      await trial.rebalance({ owned: [0, 1, 2] });
      for (const [name, given] of all) await trial[name](given as never);
      await trial.finish();
    });
    await fc.assert(property, { numRuns: 300 });
  });

  it('never gives an event whose predecessor is not in the store, and does not ask for it without a pause', async () => {
    const { kafka, source } = new SourceTrial();
    kafka.member.assigned([0]);
    kafka.append(0, 2);
    kafka.publish(0, [1]);
    kafka.events[0].length = 0;
    void kafka.member.received({ partition: 0, messages: kafka.take(0, 1) });
    const cursors = [{ partition: 0, after: kafka.positionAt(0, 0) }];
    expect(await source.read(cursors, LIMIT)).toEqual({ events: [], more: false });
  });

  it('gives nothing after a cursor that the store no longer has, from Kafka or the store', async () => {
    const { kafka, source } = new SourceTrial();
    kafka.member.assigned([0]);
    kafka.append(0, 3);
    const cursors = [{ partition: 0, after: kafka.positionAt(0, 3) }];
    expect(await source.read(cursors, LIMIT)).toEqual({ events: [], more: false });
    kafka.restore([2], false);
    kafka.append(0, 2);
    kafka.publish(0, [1, 2]);
    const at = `1.${cursors[0].after.transactionId}.3 in partition 0`;
    void kafka.member.received({ partition: 0, messages: kafka.take(0, 2) });
    await expect(source.read(cursors, LIMIT)).rejects.toThrow(`no longer has the event at ${at}`);
    kafka.member.assigned([0]);
    await expect(source.read(cursors, LIMIT)).rejects.toThrow(`no longer has the event at ${at}`);
    const known = [{ partition: 0, after: kafka.positionAt(0, 1) }];
    expect((await source.read(known, LIMIT)).events).toHaveLength(2);
  });

  it('asks the store at once for events that Kafka left out, and for those of a new partition', async () => {
    const trial = new SourceTrial();
    const read = () => trial.read({ elapsed: 0, outcome: 'handled', part: 0 });
    await trial.rebalance({ owned: [0] });
    expect(await read()).toBe(0);
    trial.write({ partition: 0, count: 2, backwards: [0] });
    await trial.deliver({ partition: 0, count: 1 });
    expect(await read()).toBe(2);
    trial.kafka.append(0, 1);
    await trial.rebalance({ owned: [0] });
    expect(await read()).toBe(1);
  });

  it('reads a backlog from the store without a pause', async () => {
    const trial = new SourceTrial();
    trial.kafka.append(1, 4 * LIMIT + 1);
    trial.kafka.append(2, LIMIT);
    await trial.rebalance({ owned: [0, 1, 2] });
    const read = () => trial.read({ elapsed: 0, outcome: 'handled', part: 0 });
    for (const count of [2 * LIMIT, LIMIT, LIMIT, LIMIT, 1, 0]) expect(await read()).toBe(count);
  });

  it('reads on in the store without a pause when long events leave no room for those that follow', async () => {
    const trial = new SourceTrial();
    trial.kafka.room = 2;
    trial.kafka.append(0, 5);
    trial.kafka.append(1, 1);
    await trial.rebalance({ owned: [0, 1, 2] });
    const read = () => trial.read({ elapsed: 0, outcome: 'handled', part: 0 });
    for (const count of [3, 2, 1, 0]) expect(await read()).toBe(count);
  });

  it('asks the store now and then for events of silent partitions, and of no others', async () => {
    const trial = new SourceTrial();
    await trial.rebalance({ owned: [0, 1] });
    const read = (elapsed: number) => trial.read({ elapsed, outcome: 'handled', part: 0 });
    await read(0);
    expect(trial.kafka.storeReads).toBe(1);
    for (let time = 0; time < 10 * SILENCE_MS; time += SILENCE_MS / 4) {
      trial.write({ partition: 0, count: 1, backwards: undefined });
      await trial.deliver({ partition: 0, count: 1 });
      expect(await read(SILENCE_MS / 4)).toBe(1);
      await read(0);
    }
    expect(trial.kafka.storeReads).toBe(11);
  });

  it('comes back to Kafka from the store even when each batch takes longer than the limit for silence', async () => {
    const trial = new SourceTrial();
    const { kafka } = trial;
    await trial.rebalance({ owned: [0] });
    for (let round = 1; round <= 20; round++) {
      kafka.append(0, 2);
      // The last message is still on its way when the next messages are fetched.
      kafka.publish(0, round === 1 ? [0] : [2 * round - 3, 2 * round - 2]);
      await trial.read({ elapsed: SILENCE_MS, outcome: 'handled', part: 0 });
      await trial.deliver({ partition: 0, count: 99 });
    }
    expect(kafka.storeReads).toBeLessThan(4);
    await trial.finish();
  });

  it('warns of what others put into a partition in words that repeat, so that the log leaves repetitions out', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const trial = new SourceTrial();
    const { kafka } = trial;
    await trial.rebalance({ owned: [0, 1] });
    for (let left = 20; left > 0; left--) {
      trial.foreign({ partition: 0, message: { headers: {}, value: '' } });
      kafka.append(1, 1);
      kafka.publish(1, [kafka.events[1].length - 1]);
      kafka.events[1].length--; // that of another store
      for (const partition of [0, 1]) await trial.deliver({ partition, count: 1 });
      await trial.read({ elapsed: 0, outcome: 'handled', part: 0 });
    }
    expect([...new Set(warnings.mock.calls.map(([line]) => line))]).toEqual([
      expect.stringMatching(/^A message in partition 0/),
      expect.stringMatching(/^Skipping events of topic .* in partition 1/),
    ]);
  });
});
