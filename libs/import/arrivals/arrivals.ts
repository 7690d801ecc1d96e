import { Injectable } from '@nestjs/common';
import type { BulkStream } from '#event-store/append/append-bulk';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { DomainError, RecordsDisagree } from '#kernel/errors';
import { toUuid } from '#kernel/ids';
import type { Day } from '#kernel/zone';
import type { TenantRef } from '#platform/request-context';
import { BillableStatus } from '#practice/billable/billable';
import { lastWriteOff } from '#practice/billable/billable.write-off-day';
import type { RecordState } from '#practice/records/record';
import { type Digests, digestsOf, type Ground, type ImportedRecord } from '../records/imported-record';
import { countersOf } from '../records/numbers';
import { reasonOf } from '../records/work-records';
import { type Imported, ImportedRecords } from './imported-records';
import type { Hindrance } from './partings';
import { updatesOf } from './updates';

/** The events of a row that differs from what the last import brought. */
export interface Arrival extends BulkStream {
  digests: Digests;
  /** The stream's version after these events. */
  version: number;
}

type Seen = (record: ImportedRecord, state: object | null) => void;
type Changed = { record: ImportedRecord; digests: Digests; imported: Imported };

/** A page of records, each with what is stored of it from an earlier import; `changed` are those whose rows differ. */
interface Compared {
  page: { record: ImportedRecord; digests: Digests; imported: Imported | undefined }[];
  changed: Changed[];
}

const PAGE = 1_000;

/** Events that do not count as edits of a record: an invoice has used the tax code; a person's data was exported. */
const NO_EDITS = ['TaxCodeUsed', 'EntityExported'];

const EDITED =
  'The record was changed in the tenant since its import; make the same change in the source, or leave the row as ' +
  'it was.';

/** Finds the records of an import that are new to a tenant or have changed, and the events by which they arrive. */
@Injectable()
export class Arrivals {
  constructor(
    private readonly loader: Loader,
    private readonly imported: ImportedRecords,
  ) {}

  /**
   * The arrivals of the records that differ from what earlier imports have left, in the order of the records.
   * @param hindered called for each changed row that cannot arrive
   */
  async *of(
    tenant: TenantRef,
    records: AsyncIterable<ImportedRecord>,
    ground: Ground,
    hindered: (hindrance: Hindrance) => void,
  ): AsyncGenerator<Arrival> {
    for await (const { page, changed } of this.compared(tenant, records)) {
      const changes = await this.changes(tenant, changed, ground, hindered);
      for (const { record, digests, imported } of page) {
        if (!imported) yield created(record, digests);
        const change = changes.get(record.id);
        if (change) yield change;
      }
    }
  }

  /**
   * Compares records of an import that may have errors with what earlier imports have brought.
   * @returns page by page, the rows that are equal and those that cannot arrive
   * @param unsound called with the reason why a changed row makes no record
   * @param seen called for each changed row with the state of its record; null: production has edited the record
   */
  async *compare(
    tenant: TenantRef,
    records: AsyncIterable<ImportedRecord>,
    ground: Ground,
    unsound: (error: unknown) => void,
    seen: Seen,
  ): AsyncGenerator<{ equal: ImportedRecord[]; hindrances: Hindrance[] }> {
    for await (const { page, changed } of this.compared(tenant, records)) {
      const hindrances: Hindrance[] = [];
      const hindered = (one: Hindrance) => void hindrances.push(one);
      await this.changes(tenant, changed, ground, hindered, unsound, seen);
      const equal = page.filter(({ digests, imported }) => imported && isEqual(imported, digests));
      yield { equal: equal.map(({ record }) => record), hindrances };
    }
  }

  private async *compared(
    tenant: TenantRef,
    records: AsyncIterable<ImportedRecord>,
  ): AsyncGenerator<Compared> {
    for await (const some of pages(records)) {
      const before = await this.imported.of(
        tenant,
        some.map(({ id }) => id),
      );
      const page = some.map((record) => ({
        record,
        digests: digestsOf(record),
        imported: before.get(record.id),
      }));
      const changed = page.flatMap(({ imported, ...one }): Changed[] =>
        imported && !isEqual(imported, one.digests) ? [{ ...one, imported }] : [],
      );
      yield { page, changed };
    }
  }

  private async changes(
    tenant: TenantRef,
    changed: readonly Changed[],
    ground: Ground,
    hindered: (hindrance: Hindrance) => void,
    unsound: (error: unknown) => void = (error) => {
      throw error;
    },
    seen?: Seen,
  ): Promise<Map<string, Arrival>> {
    const asks = changed.map(({ record: { definition, id } }) => at(definition, id));
    const found = (await this.loader.load(tenant.id, asks)) as (Folded | undefined)[];
    const arrivals = new Map<string, Arrival>();
    for (const [index, one] of changed.entries()) {
      const { table, importId, id } = one.record;
      const told = (code: Hindrance['code'], message: string) => hindered({ code, table, importId, message });
      const before = found[index];
      const isEdited = !before || (await this.wasEdited(tenant, one, before));
      seen?.(one.record, isEdited ? null : before.data);
      try {
        const arrival = before && (await this.change(tenant, one, before, ground));
        if (arrival && (!isEdited || isThere(arrival))) arrivals.set(id, arrival);
        else told('edited_since_import', EDITED);
      } catch (error) {
        const cannotBe = error instanceof DomainError || error instanceof RecordsDisagree;
        if (isEdited && cannotBe) told('edited_since_import', EDITED);
        else if (error instanceof DomainError)
          told(
            'cannot_change',
            `The row has changed in a way that its record does not allow: ${error.message}`,
          );
        else unsound(error);
      }
    }
    return arrivals;
  }

  private async wasEdited(
    tenant: TenantRef,
    { record, imported }: Changed,
    { version }: Folded,
  ): Promise<boolean> {
    if (version === imported.version) return false;
    const since = this.loader.parts(tenant.id, toUuid(record.id), { after: imported.version });
    for await (const events of since)
      if (events.some(({ event }) => !NO_EDITS.includes(event.type))) return true;
    return false;
  }

  private async change(
    tenant: TenantRef,
    { record, digests }: Changed,
    before: Folded,
    ground: Ground,
  ): Promise<Arrival> {
    const { definition, id, wanted } = record;
    const writtenOffOn = await this.writtenOffOn(tenant, record, before);
    const { keepsDefaultRates } = ground;
    const occasion = { reason: reasonOf(ground), writtenOffOn, keepsDefaultRates };
    const events = updatesOf(record, before.data, wanted, occasion);
    const after = events.reduce((state, event) => definition.evolve(state, event), before.data);
    const counters = countersOf(definition.keys(after));
    return {
      definition,
      id,
      events,
      before,
      counters,
      digests,
      version: before.version + events.length,
    };
  }

  /** The day on which a record was written off; null unless it is. */
  private async writtenOffOn(
    tenant: TenantRef,
    { id, table }: ImportedRecord,
    { data }: Folded,
  ): Promise<Day | null> {
    if (table !== 'WorkItem' && table !== 'CostRecovery') return null;
    if ((data as { state: BillableStatus }).state !== BillableStatus.WrittenOff) return null;
    return lastWriteOff({ name: table }, this.loader.parts(tenant.id, toUuid(id)));
  }
}

/**
 * Whether a row equals that of an earlier import. Its cells may be written differently and say the same, so the record
 * that they make is compared, too; only that is known of rows that were promoted long ago.
 */
function isEqual(imported: Imported, { digest, cells }: Digests): boolean {
  return imported.digest.equals(digest) || imported.cells?.equals(cells) === true;
}

/** Whether the record already agrees with its changed row, because somebody has made the same change in production. */
function isThere({ events, before }: Arrival): boolean {
  return events.length === 0 && !(before!.data as unknown as RecordState).isDeleted;
}

function created({ definition, id, create }: ImportedRecord, digests: Digests): Arrival {
  const { events, counters } = create();
  return { definition, id, events, counters, digests, version: events.length };
}

async function* pages(records: AsyncIterable<ImportedRecord>): AsyncGenerator<ImportedRecord[]> {
  let page: ImportedRecord[] = [];
  for await (const record of records) {
    page.push(record);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
