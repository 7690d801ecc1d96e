import type { ApiClient, Json } from '../support/client';
import type { Ledger } from './ledger';
import { reportedUnits } from './reader';

const AREAS = ['entities', 'clients', 'employees', 'matters', 'workitems'];

/**
 * For every client: the lists show every record as it was acknowledged and no other record, and the report has the sum.
 */
export async function expectReads(clients: ApiClient[], ledger: Ledger): Promise<void> {
  for (const api of clients) {
    for (const area of AREAS) {
      const own = [...ledger.records.values()].filter(
        (one) => one.tenant === api.tenant && one.area === area,
      );
      const known = new Map(own.map(({ id, view }) => [id, view]));
      const rows = await allRows(api, area);
      expect(rows.map(({ id }) => id).sort()).toEqual([...known.keys()].sort());
      for (const row of rows) expect(row).toMatchObject(known.get(row.id));
      if (area !== 'workitems') continue;
      const units = rows.reduce((sum, item) => sum + (item.isDeleted ? 0 : item.units), 0);
      expect((await reportedUnits(api)).body.data.work_item_listing[0].units).toBe(units);
    }
  }
}

/** All rows of a list, including deleted ones. */
async function allRows(api: ApiClient, area: string): Promise<Json[]> {
  const all = [];
  for (let pageIndex = 0, more = true; more; pageIndex++) {
    const query = `pageSize=200&pageIndex=${pageIndex}&includeDeleted=true`;
    const { rows, hasMore } = await api.data('GET', `${area}?${query}`);
    all.push(...rows);
    more = hasMore;
  }
  return all;
}
