import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../database';
import { incoherences, recomputed } from './testing/coherence';
import { writeFirm } from './write-firm';

const one = (table: string, condition: string) =>
  `ctid = (select ctid from etl."${table}" where ${condition} order by "ImportId" limit 1)`;

describe('the rules of coherent firms', () => {
  let database: TestDatabase;
  let client: Client;
  beforeAll(async () => {
    database = await createTestDatabase();
    client = new Client(database.url);
    await client.connect();
    await writeFirm(client, { items: 200 });
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  /** The rules that a fault breaks. The fault is undone afterwards. */
  const found = async (fault: string) => {
    await client.query('begin');
    const { rowCount } = await client.query(fault);
    expect(rowCount).toBeGreaterThan(0);
    const broken = await incoherences(client);
    await client.query('rollback');
    return Object.keys(broken);
  };

  it.each([
    [
      'Matter.ClientId is found',
      `update etl."Matter" set "ClientId" = 'nobody' where ${one('Matter', 'true')}`,
    ],
    ['Client "EntityId" is unique', `update etl."Client" set "EntityId" = 'E-SUP-1'`],
    ['WorkItem.State is there', `update etl."WorkItem" set "State" = null where ${one('WorkItem', 'true')}`],
    [
      'WorkItem.Title fits',
      `update etl."WorkItem" set "Title" = repeat('x', 501) where ${one('WorkItem', 'true')}`,
    ],
    [
      'billed items are on one line of an issued invoice',
      `update etl."WorkItem" set "State" = 'Finalised' where ${one('WorkItem', `"State" = 'Billed'`)}`,
    ],
    [
      'no item is on two lines',
      `insert into etl."InvoiceLine" select * from etl."InvoiceLine" where ${one('InvoiceLine', `"Kind" = 'Fee'`)}`,
    ],
    [
      'closed matters have no unbilled work',
      `update etl."Matter" set "State" = 'Closed' where "State" = 'Open'`,
    ],
    ['only active clients have open matters', `update etl."Client" set "State" = 'Inactive'`],
    [
      'units are those of the ticks',
      `update etl."WorkItem" set "Units" = "Units" + 1 where ${one('WorkItem', `"Units" is not null and "ItemType" = 'Timed'`)}`,
    ],
    [
      'totals are those of the lines',
      `update etl."Invoice" set "Total" = "Total" + 0.01 where ${one('Invoice', '"Total" is not null')}`,
    ],
    ['payments are as the state says', `delete from etl."Payment" where ${one('Payment', 'true')}`],
    [
      'lines charge what it is worth',
      `update etl."InvoiceLine" set "Amount" = "Amount" + 0.01 where ${one('InvoiceLine', `"Kind" = 'Fee' and "Amount" is not null`)}`,
    ],
    [
      'work is of the time of its matter',
      `update etl."WorkItem" set "EntryDate" = '2026-01-01T12:00' where ${one('WorkItem', '"MatterId" is not null')}`,
    ],
    ['rates of tax do not overlap', `update etl."TaxRate" set "ToDate" = null`],
    ['agreed rates do not overlap', `update etl."ApplicableRate" set "EffectiveTo" = null`],
  ])('notice a row that breaks “%s”', async (rule, fault) => {
    expect(await found(fault)).toContain(rule);
  });

  it('show a changed rate only in the figures of work', async () => {
    const before = await recomputed(client);
    await client.query(
      `update etl."WorkItem" set "Rate" = "Rate" + 1 where ${one('WorkItem', `"State" = 'Pending'`)}`,
    );
    const after = await recomputed(client);
    expect(after.work.total).not.toEqual(before.work.total);
    expect(after.billed).toEqual(before.billed);
  });
});
