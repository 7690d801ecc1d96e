import type { ClientBase } from 'pg';
import { plantCells } from './faulty-cells';
import { plantInvoices } from './faulty-invoices';
import { CLIENT, MATTER, type PlantedFinding, Planter } from './faulty-planter';
import { plantRecords } from './faulty-records';
import { plantWork } from './faulty-work';
import { writeFirm } from './write-firm';

/**
 * A coherent firm in which every kind of mistake was made, in rows of their own, so that none hides another. For a tenant
 * of the region uk as it begins, but for its Standard tax code.
 * @returns all that validation must find, and no more
 */
export async function writeFaultyFirm(client: ClientBase): Promise<PlantedFinding[]> {
  await writeFirm(client, { items: 300 });
  const planter = new Planter(client);
  await planter.newClient(CLIENT);
  await planter.matter(MATTER);
  await plantCells(planter);
  await plantRecords(planter);
  await plantWork(planter);
  await plantInvoices(planter);
  return planter.findings;
}
