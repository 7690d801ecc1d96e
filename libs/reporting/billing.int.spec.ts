import { Logger } from '@nestjs/common';
import { decimal, text } from '#kernel/money';
import { BilledFirm } from './testing/billed-firm';
import { liveBilling } from './testing/billing-life';
import { cols, columns } from './testing/reports-application';

const measures = ['Finalised', 'Billed', 'WrittenOff', 'WrittenUp'].flatMap((name) => [
  `workItem${name}`,
  `workItem${name}Units`,
]);
const sums = measures.map((name) => `${name}:sum`);

type Row = Record<string, unknown>;
/** Amounts and units by fee earner and matter, without those that are zero. */
type Balance = Record<string, [amount: string, units: string]>;

let firm: BilledFirm;
/** After each step of the firm's life: the unbilled work according to fee analysis, and according to the work items. */
const balances: { step: string; told: Balance; unbilled: Balance }[] = [];

const feeAnalysis = (slice: object, criteria?: object) => firm.reports.rows('fee_analysis', slice, criteria);
const listing = (slice: object, criteria?: object) => firm.reports.rows('work_item_listing', slice, criteria);

beforeAll(async () => {
  jest.spyOn(Logger.prototype, 'log').mockImplementation();
  firm = await BilledFirm.open();
  const step = async <Result>(name: string, work: Promise<Result>): Promise<Result> => {
    const result = await work;
    await firm.settled();
    balances.push({ step: name, told: await told(), unbilled: await unbilled() });
    return result;
  };
  await liveBilling(firm, step);
});

afterAll(() => firm.close());

/** Finalised + WrittenUp − Billed − WrittenOff, according to the report. */
async function told(): Promise<Balance> {
  const { rows } = await feeAnalysis({
    cols: cols('feeEarnerSortName', 'matterNumber', ...sums),
    groupLeafLevel: true,
  });
  const balance = (row: Row, units: string) => {
    const [finalised, billed, writtenOff, writtenUp] = ['Finalised', 'Billed', 'WrittenOff', 'WrittenUp'].map(
      (name) => decimal(row[`workItem${name}${units}`] as number),
    );
    return text(finalised.add(writtenUp).sub(billed).sub(writtenOff));
  };
  return kept(
    rows.map((row: Row): [string, Balance[string]] => [
      `${row.feeEarnerSortName} ${row.matterNumber}`,
      [balance(row, ''), balance(row, 'Units')],
    ]),
  );
}

/** The remaining value of finalised work that can be billed, according to REST. */
async function unbilled(): Promise<Balance> {
  const sum: Balance = {};
  for (const item of await firm.workItems()) {
    if (item.state !== 1 || !item.isBillable || item.matterId === null) continue;
    const of = `${item.employeeSortName} ${item.matterNumber}`;
    const [amount, units] = sum[of] ?? ['0', '0'];
    sum[of] = [
      text(decimal(amount).add(item.remaining.Amount)),
      text(decimal(units).add(item.remainingUnits)),
    ];
  }
  return kept(Object.entries(sum));
}

function kept(entries: [string, Balance[string]][]): Balance {
  return Object.fromEntries(entries.filter(([, [amount, units]]) => amount !== '0' || units !== '0'));
}

describe('fee analysis of a firm that bills', () => {
  it('counts each movement on its day, in money and in units', async () => {
    const { rows } = await feeAnalysis({
      cols: cols('day', 'feeEarnerSortName', 'matterNumber', ...measures),
      sortBy: columns('day', 'matterNumber', 'feeEarnerSortName', 'workItemBilled', 'workItemFinalised'),
    });
    const shown = rows.map(({ day, feeEarnerSortName, matterNumber, ...moved }: Row) => [
      `${day} ${feeEarnerSortName} ${matterNumber}`,
      ...measures.map((name) => moved[name]),
    ]);
    // finalised, billed, written off, written up: an amount and units each
    expect(shown).toEqual([
      ['2025-06-02 Ash M1', 100, 10, 0, 0, 0, 0, 0, 0],
      ['2025-06-03 Ash M1', 100, 10, 0, 0, 0, 0, 0, 0],
      ['2025-06-04 Bell M1', 200, 20, 0, 0, 0, 0, 0, 0],
      ['2025-06-05 Bell M2', 50, 5, 0, 0, 0, 0, 0, 0],
      ['2025-06-06 Ash M2', 40, 4, 0, 0, 0, 0, 0, 0],
      ['2025-06-07 Ash M2', 20, 2, 0, 0, 0, 0, 0, 0],
      ['2025-06-08 Bell M2', 30, 3, 0, 0, 0, 0, 0, 0],
      ['2025-06-09 Bell M1', 100, 10, 0, 0, 0, 0, 0, 0],
      // the first invoice: below and above the value; also work that was finalised and unfinalised
      ['2025-06-10 Ash M1', -10, -1, 0, 0, 0, 0, 0, 0],
      ['2025-06-10 Ash M1', 10, 1, 0, 0, 0, 0, 0, 0],
      ['2025-06-10 Ash M1', 0, 0, 80, 8, 20, 2, 0, 0],
      ['2025-06-10 Ash M1', 0, 0, 130, 13, 0, 0, 30, 3],
      // unissued later: the write-up is taken back on the day of issue
      ['2025-06-11 Bell M1', 0, 0, 0, 0, 0, 0, -50, -5],
      ['2025-06-11 Bell M1', 0, 0, 250, 25, 0, 0, 50, 5],
      ['2025-06-12 Ash M1', 60, 6, 0, 0, 0, 0, 0, 0],
      ['2025-06-12 Bell M2', 0, 0, 40, 4, 10, 1, 0, 0],
      ['2025-06-15 Ash M2', 0, 0, 0, 0, 10, 1, 0, 0],
      ['2025-06-16 Ash M2', 0, 0, 0, 0, 20, 2, 0, 0],
      ['2025-06-17 Bell M2', 0, 0, 0, 0, 30, 3, 0, 0],
      ['2025-06-18 Bell M1', 0, 0, 0, 0, 25, 2.5, 0, 0],
      ['2025-06-20 Bell M1', 0, 0, -250, -25, 0, 0, 0, 0],
      ['2025-06-25 Bell M2', 0, 0, 0, 0, -30, -3, 0, 0],
      ['2025-06-30 Bell M1', 0, 0, 75, 7.5, 0, 0, 0, 0],
      ['2025-07-01 Bell M2', 0, 0, -40, -4, -10, -1, 0, 0],
    ]);
  });

  it('Finalised + WrittenUp − Billed − WrittenOff is what is unbilled, after every step', () => {
    for (const { step, told, unbilled } of balances) expect({ step, ...told }).toEqual({ step, ...unbilled });
    expect(balances.at(-1)!.unbilled).toEqual({
      'Ash M1': ['60', '6'],
      'Ash M2': ['30', '3'],
      'Bell M1': ['200', '20'],
      'Bell M2': ['80', '8'],
    });
  });

  it('says how much of the value is billed', async () => {
    const rates = async (name: string, criteria?: object) => {
      const slice = { rowGroups: columns(name), cols: cols(name, 'realisationRate'), sortBy: columns(name) };
      const { rows } = await feeAnalysis(slice, criteria);
      return rows.map((row: Row) => [row[name], row.realisationRate]);
    };
    // 210 ÷ (210 + 50 − 30); 75 ÷ (75 + 25)
    expect(await rates('feeEarnerSortName')).toEqual([
      ['Ash', 0.9130434783],
      ['Bell', 0.75],
    ]);
    // 285 ÷ (285 + 45 − 30); all of the 30 was written off
    expect(await rates('matterNumber')).toEqual([
      ['M1', 0.95],
      ['M2', 0],
    ]);
    const month = { period: { min: '2025-06-01', max: '2025-06-30' } };
    // in June 40 of M2 were billed, which was taken back in July: 40 ÷ (40 + 40)
    expect(await rates('matterNumber', month)).toEqual([
      ['M1', 0.95],
      ['M2', 0.5],
    ]);
    const before = { period: { min: '2025-06-01', max: '2025-06-09' } };
    expect(await rates('matterNumber', before)).toEqual([
      ['M1', null],
      ['M2', null],
    ]);
  });

  it('keeps a row whose pivot fields come to 0 only when they are added up', async () => {
    const slice = {
      rowGroups: columns('matterNumber'),
      pivots: columns('month'),
      cols: cols('workItemBilled:sum'),
      filterZero: true,
      sortBy: columns('matterNumber'),
    };
    expect((await feeAnalysis(slice)).rows).toEqual([
      { matterNumber: 'M1', '2025-06_workItemBilled': 285, '2025-07_workItemBilled': null },
      { matterNumber: 'M2', '2025-06_workItemBilled': 40, '2025-07_workItemBilled': -40 },
    ]);
    expect((await feeAnalysis({ ...slice, totalsOnly: true })).rows).toEqual([
      { '2025-06_workItemBilled': 325, '2025-07_workItemBilled': -40 },
    ]);
  });

  it('groups by task type and by matter type', async () => {
    const groups = async (name: string) => {
      const slice = {
        rowGroups: columns(name),
        cols: cols(name, ...sums.slice(0, 4)),
        sortBy: columns(name),
      };
      return (await feeAnalysis(slice)).rows.map((row: Row) => Object.values(row));
    };
    expect(await groups('taskTypeName')).toEqual([
      [null, 560, 56, 205, 20.5],
      ['Drafting', 140, 14, 80, 8],
    ]);
    expect(await groups('matterTypeName')).toEqual([
      [null, 140, 14, 0, 0],
      ['Property', 560, 56, 285, 28.5],
    ]);
  });
});

describe('the work of a firm that bills', () => {
  it('shows invoice, task type, matter type and what remains of each item', async () => {
    const names = ['entryDay', 'employeeSortName', 'matterNumber', 'matterTypeName', 'taskTypeCode'];
    const more = ['taskTypeName', 'state', 'invoiceNumber', 'total', 'remaining'];
    const { rows } = await listing({
      cols: cols(...names, ...more),
      sortBy: columns('entryDay', 'units'),
    });
    const nothing = [null, null];
    expect(rows.map((row: Row) => Object.values(row))).toEqual([
      ['2025-06-02', 'Ash', 'M1', 'Property', 'A103', 'Drafting', 'Billed', '1', 100, 0],
      ['2025-06-03', 'Ash', 'M1', 'Property', ...nothing, 'Billed', '1', 100, 0],
      ['2025-06-04', 'Bell', 'M1', 'Property', ...nothing, 'Finalised', '2', 200, 200],
      ['2025-06-05', 'Bell', 'M2', null, ...nothing, 'Finalised', null, 50, 50],
      ['2025-06-06', 'Ash', 'M2', null, 'A103', 'Drafting', 'Finalised', null, 40, 30],
      ['2025-06-07', 'Ash', 'M2', null, ...nothing, 'WrittenOff', null, 20, 0],
      ['2025-06-08', 'Bell', 'M2', null, ...nothing, 'Finalised', null, 30, 30],
      ['2025-06-09', 'Bell', 'M1', 'Property', ...nothing, 'Billed', '4', 100, 0],
      ['2025-06-10', 'Ash', 'M1', 'Property', ...nothing, 'Pending', null, 10, 10],
      ['2025-06-10', 'Ash', 'M1', 'Property', ...nothing, 'Finalised', null, 70, 70],
      ['2025-06-11', 'Ash', null, null, ...nothing, 'Finalised', null, 90, 90],
      ['2025-06-12', 'Ash', 'M1', 'Property', ...nothing, 'Finalised', null, 60, 60],
    ]);
  });

  it('is grouped by state, with what remains, and by invoice', async () => {
    const groups = async (name: string, criteria?: object) => {
      const slice = {
        rowGroups: columns(name),
        sortBy: columns(name),
        cols: cols(name, 'id:count', 'total:sum', 'remaining:sum', 'invoiceNumber:countDistinct'),
      };
      return (await listing(slice, criteria)).rows.map((row: Row) => Object.values(row));
    };
    expect(await groups('state')).toEqual([
      ['Billed', 3, 300, 0, 2],
      ['Finalised', 7, 540, 530, 1],
      ['Pending', 1, 10, 10, 0],
      ['WrittenOff', 1, 20, 0, 0],
    ]);
    const slice = { cols: cols('invoiceNumber', 'remaining'), sortBy: columns('invoiceNumber') };
    expect((await listing(slice, { states: ['Billed'] })).rows).toEqual([
      { invoiceNumber: '1', remaining: 0 },
      { invoiceNumber: '1', remaining: 0 },
      { invoiceNumber: '4', remaining: 0 },
    ]);
    const group = { rowGroups: columns('invoiceNumber'), groupKeys: ['1'], cols: cols('entryDay') };
    expect((await listing(group)).rows).toHaveLength(2);
  });
});
