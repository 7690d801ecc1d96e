import { loadingOf, percentOf } from './import-progress';

const rows = (name: string, valid: number, loaded: number) => ({
  name,
  total: valid,
  read: valid,
  valid,
  loaded,
});

describe('the progress of loading', () => {
  // As when a source gives totals by matter and by fee earner.
  const tables = [rows('Info', 1, 0), rows('WorkItem', 100, 100), rows('ControlTotal', 99, 0)];

  it('does not count rows that describe the import and become no records', () => {
    expect(loadingOf(tables)).toEqual({ loaded: 100, valid: 100 });
  });

  it('is its whole share when every record is loaded', () => {
    expect([percentOf('Loading', tables), percentOf('Promoting', tables)]).toEqual([95, 60]);
  });

  it('is half of its share when half of the records are loaded', () => {
    const half = [rows('Info', 1, 0), rows('WorkItem', 100, 50), rows('ControlTotal', 99, 0)];
    expect(percentOf('Promoting', half)).toBe(30);
  });
});
