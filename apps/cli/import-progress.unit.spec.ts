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

  it('tells that rows are awaited from a source that sends none yet', () => {
    show('Connecting');
    show('Extracting', [table('Info', 0, null)]);
    show('Extracting', [table('Info', 1, 1), table('WorkItem', 0, 2000)]);
    expect(lines).toEqual(['Connecting', 'Extracting']);
  });

  it('tells of each table that is being read, and not of the step between two', () => {
    show('Extracting', [table('Matter', 10, 20), table('WorkItem', 0, 30)]);
    show('Extracting', [table('Matter', 20, 20), table('WorkItem', 0, 30)]);
    show('Extracting', [table('Matter', 20, 20), table('WorkItem', 15, 30)]);
    expect(lines.map((line) => line.split(',')[0])).toEqual(['Matter: Extracting', 'WorkItem: Extracting']);
  });

  it('tells of the rows that become records, all of them in the end', () => {
    show('Loading', [table('Info', 1, 1), table('WorkItem', 30, 30, 30), table('ControlTotal', 5, 5)]);
    expect(lines).toEqual([expect.stringContaining('30 of 30 (100 %)')]);
  });

  it('leaves the end to the answer, as an end is no step with so much left', () => {
    show('Queued');
    show('Failed', [], '2026-01-05T10:00:00.000Z');
    expect(lines).toEqual(['Queued']);
  });
});
