import type { Loader } from '#event-store/loader';
import type { Id } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { caughtUp } from './own-write';

const context = { tenant: { id: 1, alias: 'acme', partition: 0, streamId: '' } } as RequestContext;
const id: Id = `division_${'0'.repeat(32)}`;
const storeHas = (version: number) => ({ versionOf: async () => version }) as unknown as Loader;

/** Read models that show one version after the other, and the last from then on. */
function showing(...versions: (number | undefined)[]) {
  return jest.fn(async () => {
    const version = versions.length > 1 ? versions.shift() : versions[0];
    return version === undefined ? undefined : { version };
  });
}

describe('reading a record from read models', () => {
  it('is repeated until they show the version that its stream has', async () => {
    const read = showing(undefined, 1, 2, 3);
    expect(await caughtUp(storeHas(3), context, id, read)).toEqual({ version: 3 });
    expect(read).toHaveBeenCalledTimes(4);
  });

  it('happens once when they show that version, or a later one', async () => {
    for (const version of [3, 4]) {
      const read = showing(version);
      expect(await caughtUp(storeHas(3), context, id, read)).toEqual({ version });
      expect(read).toHaveBeenCalledTimes(1);
    }
  });

  it('returns an older version when they do not catch up, after asking less and less often', async () => {
    const read = showing(2);
    expect(await caughtUp(storeHas(3), context, id, read)).toEqual({ version: 2 });
    expect(read.mock.calls.length).toBeLessThan(50);
  });

  it('is refused with position_not_reached when they do not show it yet, and with not_found when it does not exist', async () => {
    const refusal = (version: number) => caughtUp(storeHas(version), context, id, showing(undefined));
    await expect(refusal(1)).rejects.toMatchObject({ code: 'position_not_reached' });
    await expect(refusal(0)).rejects.toMatchObject({ code: 'not_found' });
  });
});
