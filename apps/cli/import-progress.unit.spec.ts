import type { ImportView } from '#import/api/import.views';
import { ImportProgress } from './import-progress';
import { linesTo } from './progress';

type Table = ImportView['progress']['tables'][number];

const table = (name: string, read: number, total: number | null, loaded = 0): Table => ({
  name,
  total,
  read,
  valid: read,
  rejected: 0,
  loaded,
});

describe('the progress of an import', () => {
  let lines: string[];
  let progress: ImportProgress;
  const show = (status: ImportView['status'], tables: Table[] = [], finishedAt: string | null = null) =>
    progress.show({ status, finishedAt, progress: { tables } } as ImportView);

  beforeEach(() => {
    jest.useFakeTimers();
    lines = [];
    progress = new ImportProgress({ progress: (label) => linesTo((line) => lines.push(line), label) });
  });
  afterEach(() => jest.useRealTimers());

  it('says that it waits for rows from a source that sends none yet', () => {
    show('Connecting');
    show('Extracting', [table('Info', 0, null)]);
    show('Extracting', [table('Info', 1, 1), table('WorkItem', 0, 2000)]);
    expect(lines).toEqual(['Connecting', 'Extracting']);
  });

  it('shows each table that is being read, and not the step between two tables', () => {
    show('Extracting', [table('Matter', 10, 20), table('WorkItem', 0, 30)]);
    show('Extracting', [table('Matter', 20, 20), table('WorkItem', 0, 30)]);
    show('Extracting', [table('Matter', 20, 20), table('WorkItem', 15, 30)]);
    expect(lines.map((line) => line.split(',')[0])).toEqual(['Matter: Extracting', 'WorkItem: Extracting']);
  });

  it('counts the rows that become records, up to all of them', () => {
    show('Loading', [table('Info', 1, 1), table('WorkItem', 30, 30, 30), table('ControlTotal', 5, 5)]);
    expect(lines).toEqual([expect.stringContaining('30 of 30 (100 %)')]);
  });

  it('does not show the end as a step, since the answer tells it', () => {
    show('Queued');
    show('Failed', [], '2026-01-05T10:00:00.000Z');
    expect(lines).toEqual(['Queued']);
  });
});
