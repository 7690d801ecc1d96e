import { Logger } from '@nestjs/common';
import { waitFor } from '../../../test/support/wait-for';
import { Divisions } from '../testing/divisions';
import { expectExact } from '../testing/expect-exact';
import { SeparateTenants } from '../testing/separate-tenants';
import { ReturningTenants } from './returning-tenants';

describe('a tenant with a generation of its own', () => {
  let divisions: Divisions;
  let tenants: SeparateTenants;
  let parts: SeparateTenants['parts'];
  let errors: jest.SpyInstance;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    errors = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    // All tenants in one partition.
    divisions = await Divisions.open(3, 5);
    tenants = new SeparateTenants(divisions);
    parts = tenants.parts;
  });
  afterEach(async () => {
    await divisions.close();
    jest.restoreAllMocks();
  });

  it('is brought back to the others with all of its rows, and nothing of its generation is left', async () => {
    parts.runner.start();
    const renames = await divisions.createMany(0, 30);
    await expectExact(divisions.store);
    const before = await divisions.shown('divisions');
    await tenants.separate();
    await tenants.separate(2);
    expect(await tenants.serving()).toEqual([2, 2]);
    expect(await parts.returning.away()).toEqual([tenants.idOf(1), tenants.idOf(2)]);

    expect(await parts.returning.bringBack(await tenants.tenant())).toEqual(['divisions', 'tally']);
    expect([await tenants.serving(), await tenants.filled(), await tenants.serving(2)]).toEqual([
      [1, 1],
      [1],
      [3, 3],
    ]);
    expect(await divisions.shown('divisions')).toEqual(before);
    expect(await parts.returning.away()).toEqual([tenants.idOf(2)]);
    await parts.returning.bringBack(await tenants.tenant(2));
    expect(await tenants.traces()).toEqual([]);

    await Promise.all(renames.map((rename) => rename('Once')));
    await expectExact(divisions.store);
    expect(await parts.returning.bringBack(await tenants.tenant())).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('loses and repeats nothing, and never goes back to an earlier state, while it is written to', async () => {
    parts.runner.start();
    let writing = true;
    let written = 0;
    const writers = divisions.contexts.map(async (_, index) => {
      for (let number = index; writing; number += 3, written++)
        await (await divisions.create(number))('Renamed');
    });
    const seen: number[] = [];
    const reader = (async () => {
      while (writing) {
        const [{ sum }] = await divisions.rows<{ sum: string | null }>(
          `select sum(events) from read_model.tally t
           where tenant_id = $1 and generation = (select read_model.live_generation('tally', $1))`,
          [tenants.idOf(1)],
        );
        seen.push(Number(sum));
      }
    })();
    for (let round = 0; round < 2; round++) {
      const target = written + 30;
      await waitFor(() => written >= target, { description: '30 more divisions' });
      await tenants.separate();
      expect(await parts.returning.bringBack(await tenants.tenant())).toEqual(['divisions', 'tally']);
    }
    writing = false;
    await Promise.all([...writers, reader]);
    await expectExact(divisions.store);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(await tenants.traces()).toEqual([]);
    expect(errors).not.toHaveBeenCalled();
  });

  it('stays where it is when the process ends meanwhile, and is brought back by the next one', async () => {
    parts.runner.start();
    await divisions.append(1_500);
    await expectExact(divisions.store);
    await tenants.separate();
    const ending = new AbortController();
    const ended = parts.returning.bringBack(await tenants.tenant(), ending.signal);
    await waitFor(async () => (await tenants.filled()).includes(1), { description: 'the first rows' });
    ending.abort(new Error('the process ends'));
    await expect(ended).rejects.toThrow();
    expect(await tenants.serving()).toEqual([2, 2]);
    await expectExact(divisions.store);

    const another = divisions.parts();
    await waitFor(async () => (await another.returning.bringBack(await tenants.tenant())).length > 0, {
      description: 'the locks of the ended process to be free',
    });
    await expectExact(divisions.store);
    expect(await tenants.traces()).toEqual([]);
  });

  it('leaves nothing that is taken for a rebuild when the process ends before its tables are dropped', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await expectExact(divisions.store);
    await tenants.separate();
    const reader = await divisions.store.reads.session();
    await reader.query('begin; select from read_model.divisions limit 1');
    const ending = new AbortController();
    const ended = parts.returning.bringBack(await tenants.tenant(), ending.signal);
    await waitFor(async () => (await tenants.serving()).every((one) => one === 1), {
      description: 'the return',
    });
    ending.abort(new Error('the process ends'));
    await expect(ended).rejects.toThrow();
    await reader.end();
    await waitFor(
      async () => {
        for (const name of ['divisions', 'tally']) await parts.rebuild.resume(name);
        return (await tenants.traces()).length === 0;
      },
      { description: 'the tables to be dropped' },
    );
    expect(await tenants.serving()).toEqual([1, 1]);
    await expectExact(divisions.store);
  });

  it('is brought back without being asked for', async () => {
    parts.runner.start();
    await divisions.createMany(0, 6);
    await tenants.separate();
    await tenants.separate(2);
    const returning = new ReturningTenants(parts.returning, parts.tenants);
    returning.start(20);
    await waitFor(async () => (await tenants.traces()).length === 0, {
      description: 'both tenants to be back',
    });
    await returning.onApplicationShutdown();
    await expectExact(divisions.store);
    expect(errors).not.toHaveBeenCalled();
  });
});
