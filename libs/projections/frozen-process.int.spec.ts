import { Logger } from '@nestjs/common';
import { isConnectionLost } from '#platform/database/connection-lost';
import { CopyStream } from '#platform/database/copy-rows';
import { waitFor } from '../../test/support/wait-for';
import { UnfinishedRebuilds } from './rebuild/unfinished-rebuilds';
import { Divisions } from './testing/divisions';
import { expectExact } from './testing/expect-exact';

/** Stands for the 15 s of production. */
const SILENCE_MS = 500;

describe('a process that is frozen', () => {
  let divisions: Divisions;
  let parts: ReturnType<Divisions['parts']>;
  let thaw: () => void;

  beforeEach(async () => {
    for (const level of ['log', 'warn', 'error'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation();
    divisions = await Divisions.open(3, 5);
    Object.assign(divisions.store.reads, { silenceMs: SILENCE_MS });
    parts = divisions.parts();
    parts.runner.start();
  });
  afterEach(async () => {
    thaw();
    await divisions.close();
    jest.restoreAllMocks();
  });

  const tenant = () => parts.tenants.get(divisions.contexts[1].tenant.alias);

  /** Freezes a process at its next call of a method: what it waits for never happens, and it sends no queries. */
  function freeze<Part extends object>(part: Part, method: jest.FunctionPropertyNames<Required<Part>>) {
    const asking = jest.spyOn(global, 'setInterval').mockReturnValue({ unref: () => undefined } as never);
    const frozen = new Promise<void>((resolve) => {
      thaw = resolve;
    });
    return new Promise<void>((resolve) => {
      const goOn = part[method] as () => Promise<unknown>;
      const call = jest.spyOn(part, method).mockImplementation(async function (this: Part) {
        asking.mockRestore();
        call.mockRestore();
        resolve();
        await frozen;
        return goOn.call(this);
      } as never);
    });
  }

  it('leaves the renewal of a tenant to another', async () => {
    await divisions.createMany(0, 3);
    await expectExact(divisions.store);
    await parts.held.hold(await tenant());
    await divisions.append(20);
    const standing = freeze(divisions.store.feed, 'heads');
    const renewed = parts.renewal.renew(await tenant()).catch((error) => error);
    await standing;
    await divisions.parts().renewal.renew(await tenant());
    await parts.held.release(await tenant());
    thaw();
    expect(await renewed).toMatchObject({ code: 'tenant_not_held' });
    await expectExact(divisions.store);
  });

  it('leaves the filling of a new tenant to another, and writes nothing more of it when it wakes', async () => {
    await parts.held.holdNew(await tenant());
    await divisions.append(20);
    const standing = freeze(divisions.store.writes, 'session');
    const shown = parts.fill.show(await tenant()).catch((error) => error);
    await standing;
    await divisions.parts().fill.show(await tenant());
    thaw();
    expect(isConnectionLost(await shown)).toBe(true);
    await expectExact(divisions.store);
  });

  it('leaves a rebuild to another', async () => {
    await divisions.createMany(0, 3);
    const standing = freeze(divisions.store.feed, 'heads');
    const rebuilt = parts.rebuild.rebuild('divisions').catch((error) => error);
    await standing;
    const another = divisions.parts().rebuild;
    const done = async () => (await another.rebuild('divisions').catch(() => undefined)) !== undefined;
    await waitFor(done, { description: 'another process to rebuild' });
    thaw();
    await rebuilt;
    await expectExact(divisions.store);
  });

  it('leaves a rebuild to another even when it stops amid rows that it copies', async () => {
    await divisions.createMany(0, 3);
    const standing = freeze(CopyStream.prototype, 'end');
    const rebuilt = parts.rebuild.rebuild('divisions').catch((error) => error);
    await standing;
    const another = new UnfinishedRebuilds(divisions.parts().rebuild, divisions.store.reads);
    Object.assign(another, { standingMs: 1 });
    another.start();
    const live = `select generation from read_model.live where projection = 'divisions'`;
    const done = async () => (await divisions.rows<{ generation: number }>(live))[0].generation === 2;
    await waitFor(done, { description: 'another process to go on' });
    await another.onApplicationShutdown();
    thaw();
    await rebuilt;
    await expectExact(divisions.store);
  });
});
