import { toUuid } from '#kernel/ids';
import { firm, ImportedFirm } from '../testing/imported-firm';

type Rows = Record<string, string>[];

const task = (ImportId: string, Code: string, Name = 'Calls') => ({
  ImportId,
  Code,
  Name,
  ItemType: 'Timed',
  IsBillable: '1',
});

describe('codes that pass from one row to another', () => {
  let office: ImportedFirm;
  /** Rows in the order of their keys. All of them change, and they are more than arrive in one transaction. */
  const many = (Name: string): Rows =>
    Array.from({ length: 1_200 }, (_, n) => task(`TASK-${1_000 + n}`, `XY${n}`, Name));
  const before = { ...firm, TaskType: [...many('Calls'), ...firm.TaskType] };
  const numbered = (number: (n: number) => string | undefined) =>
    firm.Client.map((row, n) => {
      const ClientNumber = number(n);
      return ClientNumber === undefined ? row : { ...row, ClientNumber };
    });

  beforeAll(async () => {
    office = await ImportedFirm.open(undefined, { ...before, Client: numbered((n) => `N${n}`) });
  });
  afterEach(() => office?.finish());
  afterAll(() => office?.close());

  const taken = () =>
    office.imports.sql<{ key: string; stream_id: string }>(
      `select key, stream_id from event_store.reservations
       where tenant_id = ${office.imports.tenant.id} and kind in ('task_type_code', 'client_number') and key ~ '^(XY|N)'
       order by length(key), key`,
    );
  const owner = async (key: string) => (await taken()).find((one) => one.key === key)?.stream_id;
  const uuidOf = (table: string, importId: string) => toUuid(office.idOf(table, importId));

  it('are refused as long as the row that has them keeps them or leaves them out', async () => {
    const TaskType = [...before.TaskType, task('NEW', 'XY7')];
    const sameCode = await office.found({}, { ...before, TaskType, Client: numbered((n) => `N${n}`) });
    expect(sameCode).toEqual([
      'code_taken TaskType NEW Code',
      'duplicate_code TaskType NEW Code',
      'duplicate_code TaskType TASK-1007 Code',
    ]);
    const noNumber = numbered((n) => (n < 2 ? ['N1', undefined][n] : `N${n}`));
    expect(await office.found({}, { ...before, Client: noNumber })).toEqual([
      'code_taken Client CLI-1 ClientNumber',
    ]);
  });

  it('are accepted even when the row that takes one comes long before the row that gives it up', async () => {
    const TaskType = many('Letters');
    const [first, last] = [TaskType[0], TaskType[1_199]];
    [first.Code, last.Code] = [last.Code, first.Code];
    // One code passes to a new record.
    TaskType[1_100].Code = 'XY-NEXT';
    TaskType.unshift(task('A-NEW', 'XY1100'));
    // All numbers move on by one row, in a circle.
    const rows = {
      ...before,
      TaskType: [...TaskType, ...firm.TaskType],
      Client: numbered((n) => `N${(n + 1) % 5}`),
    };
    expect(await office.promote(rows)).toMatchObject({ created: 1, changed: 1_205 });
    expect(await owner('XY1199')).toBe(uuidOf('TaskType', 'TASK-1000'));
    expect(await owner('XY0')).toBe(uuidOf('TaskType', 'TASK-2199'));
    expect(await owner('XY1100')).toBe(uuidOf('TaskType', 'A-NEW'));
    expect(await owner('XY-NEXT')).toBe(uuidOf('TaskType', 'TASK-2100'));
    expect(await owner('N0')).toBe(uuidOf('Client', 'CLI-5'));
    expect(await owner('N1')).toBe(uuidOf('Client', 'CLI-1'));
    expect(await taken()).toHaveLength(1_201 + 5);
    expect(await office.promote(rows)).toMatchObject({ created: 0, changed: 0 });
  });
});
