import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { writeWhole } from './output-file';

describe('a file that is written whole', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'output-'));
    path = join(folder, 'rows.csv');
  });
  afterEach(() => rm(folder, { recursive: true }));

  const hello = async (out: Writable) => out.write('hello');

  it('gets its name only when it is complete, and is for its owner only', async () => {
    const during = await writeWhole(path, async (out) => {
      out.write('hello');
      return readdir(folder);
    });
    expect(during).toEqual([expect.stringMatching(/^rows\.csv\.[0-9a-f]{8}\.partial$/)]);
    expect(await readdir(folder)).toEqual(['rows.csv']);
    expect(await readFile(path, 'utf8')).toBe('hello');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('leaves nothing when the work fails half-way', async () => {
    const failing = writeWhole(path, async (out) => {
      out.write('hel');
      throw new Error('half-way');
    });
    await expect(failing).rejects.toThrow('half-way');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing after %s, which still ends the process',
    async (signal) => {
      const kill = jest.spyOn(process, 'kill').mockReturnValue(true);
      const left = await writeWhole(path, async (out) => {
        out.write('hel');
        process.emit(signal, signal);
        return readdir(folder);
      }).catch(() => readdir(folder));
      expect(left).toEqual([]);
      expect(kill.mock.calls).toEqual([[process.pid, signal]]);
      kill.mockRestore();
    },
  );

  it('replaces no file, not even one that was written meanwhile', async () => {
    await writeFile(path, 'mine');
    const work = jest.fn(hello);
    const refusal = { code: 'output_exists', detail: `${path} exists already; nothing was written.` };
    await expect(writeWhole(path, work)).rejects.toMatchObject(refusal);
    expect(work).not.toHaveBeenCalled();
    await rm(path);
    const slow = writeWhole(path, async (out) => {
      await writeFile(path, 'mine');
      out.write('theirs');
    });
    await expect(slow).rejects.toMatchObject(refusal);
    expect(await readdir(folder)).toEqual(['rows.csv']);
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('fails before the work begins when no file can be made', async () => {
    const work = jest.fn(hello);
    await expect(writeWhole('', work)).rejects.toMatchObject({ code: 'file' });
    const nowhere = join(folder, 'missing', 'rows.csv');
    await expect(writeWhole(nowhere, work)).rejects.toMatchObject({
      code: 'file',
      detail: `${nowhere} cannot be written: ENOENT: no such file or directory.`,
    });
    expect(work).not.toHaveBeenCalled();
  });
});
