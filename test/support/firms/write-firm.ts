import type { ClientBase } from 'pg';
import { dayText, instantText } from './days';
import type { Firm, FirmOptions } from './firm';
import { writeOfficeTime } from './firm-items';
import { writeMatter } from './firm-matters';
import { writePeople } from './firm-people';
import { createSourceTables, indexSourceTables } from './firm-tables';
import { FirmWriter } from './firm-writer';
import { begin, type Making } from './making';
import { writeAgreedRates, writeRateSets } from './rate-rows';
import { writeReferenceRows } from './reference-rows';

/**
 * Writes a law firm as the source's database would hold it: the schema `etl` with all tables, whose rows break no rule
 * of the domain. The same options give the same rows.
 * @returns the firm's figures, counted while it was made
 */
export async function writeFirm(client: ClientBase, options: FirmOptions): Promise<Firm> {
  await createSourceTables(client);
  const writer = new FirmWriter(client);
  const making = begin(writer, options);
  writeInfo(making);
  writeReferenceRows(writer, making.region);
  const matters = mattersOf(making.items);
  const people = writePeople(making, matters);
  const staffed = { ...making, people };
  writeRateSets(staffed);
  for (const [index, { id }] of people.active.entries())
    writeAgreedRates(staffed, { kind: 'Client', id, index });
  const office = Math.floor(making.items * 0.03);
  for (let index = 0; index < office; index++) {
    writeOfficeTime(staffed, index);
    await writer.settle();
  }
  for (const [index, items] of shares(making.items - office, matters)) {
    writeMatter(staffed, index, items);
    await writer.settle();
  }
  making.figures.write(writer);
  await writer.end();
  await indexSourceTables(client);
  return making.figures.firm(writer.rows());
}

function writeInfo({ writer, cutover, currency, timeZone }: Making): void {
  writer.add('Info', {
    ImportId: 'INFO',
    SchemaVersion: '1.0',
    SourceSystem: 'Ledger & Quill',
    ExtractedAtUtc: instantText(cutover + 1, 390, 0),
    CutoverDate: dayText(cutover),
    BaseCurrency: currency,
    TimeZone: timeZone,
  });
}

/** About one matter per 40 items; more in a small firm, so that there are items of every kind. */
function mattersOf(items: number): number {
  return Math.max(2, Math.min(8, Math.floor(items / 5)), Math.round(items / 40));
}

/** The number of items by matter: the first matters have many, most have a few dozen. */
function* shares(items: number, matters: number): Generator<readonly [index: number, items: number]> {
  const upTo = (index: number) => Math.floor(items * (index / matters) ** 0.6);
  for (let index = 0; index < matters; index++) yield [index, upTo(index + 1) - upTo(index)];
}
