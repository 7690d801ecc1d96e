import type { ClientBase } from 'pg';
import type { NewStream } from '#event-store/append/append-bulk';
import { type Id, toId } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import { ACTIVE_DIVISIONS, Division, type DivisionState } from '#practice/divisions/division';
import { RateSet } from '#practice/rate-sets/rate-set';
import { Activity } from '#practice/records/activity';
import { Tenant } from '#practice/tenants/tenant';
import type { ImportRun } from '../import-run';
import { type ExistingRecord, type ExistingRecords, learnExisting } from '../records/existing-records';
import type { Creation, Ground, ImportedRecord } from '../records/imported-record';
import { bringsDefaultRates, erasedPeople } from '../records/record-queries';
import { OwnRecords, referredRecords } from '../records/references';
import { copyEvents } from './copies';

/** All streams of a staging tenant. A stream comes after those to which it refers. */
export class StagingStreams {
  constructor(
    private readonly client: ClientBase,
    private readonly run: Pick<ImportRun, 'tenant' | 'staging' | 'signal'>,
    private readonly ground: Ground,
    private readonly existing: ExistingRecords,
  ) {}

  /** @param records the import's records; they are read after the copies, on whose ids they may depend */
  async *all(staging: TenantRef, records: AsyncIterable<ImportedRecord>): AsyncGenerator<NewStream> {
    yield this.settings(staging);
    yield* this.copies();
    const erased = await erasedPeople(this.client, this.run.staging);
    const { tenant } = this.run;
    const defaults = [
      await this.existing.defaultRates(tenant),
      await this.existing.defaultDivision(tenant),
    ].flatMap((one) => one?.id ?? []);
    for await (const { definition, id, create } of records)
      if (erased.has(id)) yield await this.erased(id);
      else yield { definition, id, ...(defaults.includes(id) ? asDefault(create()) : create()) };
  }

  /** The parent's current settings, and its counters, from which the import's numbers go on. */
  private settings({ streamId }: TenantRef): NewStream {
    const { isDeleted: _, externalReference: __, referenceOwner: ___, ...fields } = this.ground.settings;
    const { [ACTIVE_DIVISIONS]: ____, ...counters } = this.ground.numbers.last;
    const events = [{ type: 'TenantCreated', data: fields }];
    return { definition: Tenant, id: toId('tenant', streamId), events, counters };
  }

  /** Copies of the parent's records that every tenant needs, and of those to which the import refers. */
  private async *copies(): AsyncGenerator<NewStream> {
    const { client, run, ground, existing } = this;
    const { tenant, staging, signal } = run;
    const referred = await referredRecords(client, staging);
    const hasDefault = !ground.keepsDefaultRates && (await bringsDefaultRates(client, staging));
    const foundations = (await existing.foundations(tenant)).filter(
      (id) => !(hasDefault && id.startsWith(RateSet.kind)),
    );
    const own = new OwnRecords(client, staging, ground.ids);
    const all = existing.withReferences(tenant, [...foundations, ...referred], own, signal);
    for await (const record of all) {
      learnExisting(ground.known, record);
      yield this.copy(record, hasDefault);
    }
  }

  /**
   * A person who was erased in the parent tenant. The copy has the replacement name, even if the row has personal data.
   */
  private async erased(id: Id): Promise<NewStream> {
    const record = await this.existing.one(this.run.tenant, id);
    const [created] = copyEvents(record);
    return { definition: record.definition, id, events: [created] };
  }

  private copy(record: ExistingRecord, hasDefault: boolean): NewStream {
    const { definition, folded } = record;
    const events = copyEvents(record);
    if (definition.kind === RateSet.kind && hasDefault) Object.assign(events[0].data, { isDefault: false });
    const isActiveDivision =
      definition.kind === Division.kind && (folded.data as DivisionState).state === Activity.Active;
    const counters = isActiveDivision
      ? { [ACTIVE_DIVISIONS]: this.ground.numbers.count(ACTIVE_DIVISIONS) }
      : undefined;
    return { definition, id: folded.id, events, counters };
  }
}

/** Makes a record the default: it came with an earlier import and is the parent's default now. */
function asDefault({ events, ...creation }: Creation): Creation {
  Object.assign(events[0].data, { isDefault: true });
  return { ...creation, events };
}
