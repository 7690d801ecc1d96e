import { wantsCsv } from './import-report.queries';

it.each<[accept: string | undefined, isCsv: boolean]>([
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/csv', true],
  ['TEXT/CSV', true],
  ['text/csv; charset=UTF-8', true],
  ['text/csv; charset=utf-8; header=present', true],
  ['text/csv;header=present, application/json;q=0.5', true],
  ['text/*', true],
  ['text/csv, application/json', true],
  ['application/json, text/csv', false],
  ['application/json;q=0.5, text/csv', true],
  ['text/csv;q=0, application/json', false],
  ['application/json, text/csv;q=0.9', false],
  ['image/png', false],
  ['nonsense', false],
])('a report is CSV for Accept %j: %j', (accept, isCsv) => {
  expect(wantsCsv(accept)).toBe(isCsv);
});
