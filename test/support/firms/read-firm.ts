import type { ClientBase } from 'pg';
import { tables } from '#import/schema/schema-1.0';
import type { Figure, Firm, Measure } from './firm';
import type { MeasureName } from './firm-figures';
import { sourceTable } from './firm-tables';

interface ControlRow extends Figure {
  group: string;
  key: string | null;
}

/** The figures that the source itself states: its ControlTotal, and the number of its rows. */
export async function readFirm(client: ClientBase): Promise<Firm> {
  const rows: Record<string, number> = {};
  for (const { name } of tables) {
    const counted = await client.query<{ count: number }>(
      `select count(*)::int as count from ${sourceTable(name)}`,
    );
    rows[name] = counted.rows[0].count;
  }
  return {
    rows,
    work: await readMeasure(client, 'Work'),
    unbilledWork: await readMeasure(client, 'UnbilledWork'),
    billed: await readMeasure(client, 'Billed'),
    debtors: await readMeasure(client, 'Debtors'),
  };
}

async function readMeasure(client: ClientBase, name: MeasureName): Promise<Measure> {
  const { rows } = await client.query<ControlRow>(
    `select "GroupBy" as group, "GroupKey" as key, "Count" as count, round("Amount", 2)::text as amount
     from ${sourceTable('ControlTotal')} where "Measure" = $1`,
    [name],
  );
  const by = (group: string) =>
    Object.fromEntries(
      rows
        .filter((row) => row.group === group)
        .map(({ key, count, amount }) => [key ?? '', { count, amount }]),
    );
  return { total: by('Total')[''], byMatter: by('Matter'), byFeeEarner: by('FeeEarner') };
}
