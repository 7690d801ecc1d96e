import type { ClientBase } from 'pg';
import { plantCells } from './faulty-cells';
import { plantInvoices } from './faulty-invoices';
import { CLIENT, MATTER, type PlantedFinding, Planter } from './faulty-planter';
import { plantRecords } from './faulty-records';
import { plantWork } from './faulty-work';
import { writeFirm } from './write-firm';

/**
 * A coherent firm with every kind of mistake, each in rows of its own, so that none hides another. For a new tenant of
 * the region uk, without its Standard tax code.
 * @returns exactly the findings of validation
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
