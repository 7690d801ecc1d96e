import type { ClientBase } from 'pg';
import { Random } from '#practice/demo/random';
import { type Change, type Changing, candidates, set, setEach } from './changing';
import { type Exact, exact, money, pennies } from './exact';
import type { Firm } from './firm';
import type { MeasureName } from './firm-figures';
import { sourceTable, tableNamed } from './firm-tables';
import { readFirm } from './read-firm';

export type { Change } from './changing';

/**
 * Changes rows of a firm's source in place, as work in the source system would. The source stays coherent, including
 * its ControlTotal. The same source and seed give the same changes.
 * @param rows the number of changed rows, without those of ControlTotal
 * @returns the changed rows, each once, and the source's new figures
 */
export async function changedCopy(
  client: ClientBase,
  { rows, seed = 1 }: { rows: number; seed?: number },
): Promise<{ changes: Change[]; firm: Firm }> {
  const changing = { client, seed, random: new Random(seed) };
  const each = Math.floor(rows / 5);
  const changes: Change[] = [];
  for (const change of [renameMatters, raiseRates, changeTerms, changePhones])
    changes.push(...(await change(changing, each)));
  changes.push(...(await addItems(changing, rows - changes.length)));
  return { changes, firm: await readFirm(client) };
}

async function renameMatters(changing: Changing, count: number): Promise<Change[]> {
  const open = await candidates<{ id: string; title: string }>(
    changing,
    `select "ImportId" as id, "Title" as title from etl."Matter" where "State" = 'Open'`,
    count,
  );
  return setEach(changing, 'Matter', open, ({ title }) => ({ Title: `Re: ${title}`.slice(0, 500) }));
}

interface FinalisedItem {
  id: string;
  matter: string;
  employee: string;
  type: string;
  units: string | null;
  ticks: string | null;
  rate: string;
}

/** Raises rates of finalised work that no invoice holds, with its value and all totals that include it. */
async function raiseRates(changing: Changing, count: number): Promise<Change[]> {
  const free = await candidates<FinalisedItem>(
    changing,
    `select "ImportId" as id, "MatterId" as matter, "EmployeeId" as employee, "ItemType" as type, "Units" as units,
       "DurationTicks" as ticks, "Rate" as rate
     from etl."WorkItem" w where "State" = 'Finalised' and "IsBillable" and "MatterId" is not null
       and not exists (select from etl."InvoiceLine" l where l."WorkItemId" = w."ImportId")`,
    count,
  );
  const changes: Change[] = [];
  for (const item of free) {
    const rate = exact(item.rate).add(changing.random.whole(1, 40)).toFixed(10);
    const more = worthOf({ ...item, rate }).sub(worthOf(item));
    changes.push(await set(changing, 'WorkItem', item.id, { Rate: rate }));
    for (const measure of ['Work', 'UnbilledWork'] as const)
      await addToTotals(changing, measure, item, 0, more);
  }
  return changes;
}

function worthOf({ type, units, ticks, rate }: FinalisedItem): Exact {
  if (type === 'Itemised') return pennies(exact(units ?? 1).mul(rate));
  const counted = units === null ? exact(ticks!).div(3_600_000_000).ceil() : exact(units);
  return pennies(counted.mul(6).div(60).mul(rate));
}

/** Changes terms of clients all of whose invoices have a due date. Other invoices would become due on another day. */
async function changeTerms(changing: Changing, count: number): Promise<Change[]> {
  const clients = await candidates<{ id: string; terms: number | null }>(
    changing,
    `select "ImportId" as id, "PaymentTermsDays" as terms from etl."Client" c where not exists
       (select from etl."Invoice" i where i."ClientId" = c."ImportId" and i."DueDate" is null)`,
    count,
  );
  return setEach(changing, 'Client', clients, ({ terms }) => ({ PaymentTermsDays: (terms ?? 30) + 1 }));
}

/** Sets one of two numbers reserved for drama, never the number that the entity already has. */
async function changePhones(changing: Changing, count: number): Promise<Change[]> {
  const entities = await candidates<{ id: string; phone: string | null }>(
    changing,
    `select "ImportId" as id, "Phone" as phone from etl."Entity"`,
    count,
  );
  const [one, other] = ['+44 1632 960001', '+44 1632 960002'];
  return setEach(changing, 'Entity', entities, ({ phone }) => ({ Phone: phone === one ? other : one }));
}

/** Adds new work of an hour each to open matters. */
async function addItems(changing: Changing, count: number): Promise<Change[]> {
  const { client, seed, random } = changing;
  const matters = await candidates<{ id: string; employee: string; day: Date; currency: string }>(
    changing,
    `select m."ImportId" as id, m."ResponsiblePersonId" as employee, i."CutoverDate"::text as day, i."BaseCurrency" as currency
     from etl."Matter" m cross join etl."Info" i where m."State" = 'Open' and m."ResponsiblePersonId" is not null`,
    count,
  );
  const last = await client.query<{ count: number }>(`select count(*)::int as count from etl."WorkItem"`);
  const changes: Change[] = [];
  for (let index = 0; index < count; index++) {
    const { id: matter, employee, day, currency } = matters[index % matters.length];
    const id = `WI-NEW-${seed}-${last.rows[0].count + index + 1}`;
    const rate = exact(random.whole(90, 320));
    const row = {
      ImportId: id,
      MatterId: matter,
      EmployeeId: employee,
      TaskTypeId: 'TASK-1',
      ItemType: 'Timed',
      EntryDate: `${day}T03:00:00`,
      DurationTicks: '36000000000',
      Rate: rate.toFixed(10),
      RateCurrency: currency,
      Title: `New work ${index + 1}`,
      State: index % 2 === 0 ? 'Pending' : 'Finalised',
      IsBillable: true,
    };
    const names = Object.keys(row).map((name) => `"${name}"`);
    await client.query(
      `insert into etl."WorkItem" (${names.join(', ')}) values (${names.map((_, at) => `$${at + 1}`).join(', ')})`,
      Object.values(row),
    );
    for (const measure of ['Work', 'UnbilledWork'] as const)
      await addToTotals(changing, measure, { matter, employee }, 1, rate);
    changes.push({
      table: 'WorkItem',
      importId: id,
      columns: tableNamed('WorkItem').columns.map(({ name }) => name),
    });
  }
  await client.query(
    `update etl."ControlTotal" set "Count" = "Count" + $1 where "Measure" = 'Rows' and "GroupKey" = 'WorkItem'`,
    [count],
  );
  return changes;
}

/** Adds to the three totals that include an item. A missing total begins with the item. */
async function addToTotals(
  { client }: Changing,
  measure: MeasureName,
  { matter, employee }: { matter: string; employee: string },
  count: number,
  amount: Exact,
): Promise<void> {
  for (const [group, key] of [
    ['Total', null],
    ['Matter', matter],
    ['FeeEarner', employee],
  ]) {
    const values = [measure, group, key, count, money(amount)];
    const updated = await client.query(
      `update ${sourceTable('ControlTotal')} set "Count" = "Count" + $4, "Amount" = "Amount" + $5
       where "Measure" = $1 and "GroupBy" = $2 and "GroupKey" is not distinct from $3`,
      values,
    );
    if (updated.rowCount === 1) continue;
    await client.query(
      `insert into ${sourceTable('ControlTotal')} ("ImportId", "Measure", "GroupBy", "GroupKey", "Count", "Amount")
       values ('CT-' || $1 || '-' || $2 || '-' || $3, $1, $2, $3, $4, $5)`,
      values,
    );
  }
}
