import { Injectable } from '@nestjs/common';
import { type AnyDefinition, Definitions, type Folded } from '#event-store/events';
import { type Ask, at, counter, holding, linkedTo } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { type Id, type Kind, kindOf, toId } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import type { ClientState } from '#practice/clients/client';
import type { DisbursementCodeState } from '#practice/disbursement-codes/disbursement-code';
import {
  ACTIVE_DIVISIONS,
  DEFAULT_DIVISION,
  Division,
  type DivisionState,
} from '#practice/divisions/division';
import type { MatterState } from '#practice/matters/matter';
import { DEFAULT_RATE_SET, RateSet, type RateSetState } from '#practice/rate-sets/rate-set';
import type { RecordState } from '#practice/records/record';
import { Role, roleName, SYSTEM_ROLES } from '#practice/roles/role';
import type { TaskTypeState } from '#practice/task-types/task-type';
import { STANDARD_TAX_CODE, TaxCode, type TaxCodeState, THE_STANDARD } from '#practice/tax-codes/tax-code';
import { Tenant, type TenantState } from '#practice/tenants/tenant';
import type { Promotion } from '#practice/tenants/tenant.events';
import type { KnownRecords } from './known-records';
import { NUMBER_COUNTERS } from './numbers';
import { isImported } from './record-id';
import type { OwnRecords } from './references';

export interface ExistingRecord {
  definition: AnyDefinition;
  folded: Folded<RecordState>;
}

/** The kinds of records to which an import refers. A kind comes after those to which its records refer. */
const ORDER: readonly Kind[] = [
  ...(['division', 'mattertype', 'role', 'tasktype', 'taxcode', 'entity', 'supplier'] as const),
  ...(['disbursementcode', 'employee', 'rateset', 'client', 'matter'] as const),
];
const COUNTERS = [ACTIVE_DIVISIONS, ...NUMBER_COUNTERS];
const AT_ONCE = 500;

/** Reads the records that a tenant already has. */
@Injectable()
export class ExistingRecords {
  constructor(
    private readonly loader: Loader,
    private readonly definitions: Definitions,
  ) {}

  async settings(tenant: TenantRef): Promise<TenantState> {
    const [found] = await this.loader.load(tenant.id, [at(Tenant, toId('tenant', tenant.streamId))]);
    if (!found) throw new Error(`The tenant ${tenant.alias} has no settings`);
    return found.data;
  }

  /** The source systems of the promoted imports, spelled as there, the latest first. */
  async sourceSystems(tenant: TenantRef): Promise<string[]> {
    const names: string[] = [];
    for await (const events of this.loader.parts(tenant.id, tenant.streamId))
      for (const { event } of events)
        if (event.type === 'ImportPromoted') names.push((event.data as Promotion).sourceSystem);
    return [...new Set(names.reverse())];
  }

  /** The last number that each of the tenant's counters has given. */
  async counters(tenant: TenantRef): Promise<Record<string, number>> {
    const values = await this.loader.load(tenant.id, COUNTERS.map(counter));
    return Object.fromEntries(COUNTERS.map((name, index) => [name, values[index]]));
  }

  /** The default rate set: its rates apply when nothing else determines a rate. */
  async defaultRates(tenant: TenantRef): Promise<Folded<RateSetState> | undefined> {
    const [found] = await this.loader.load(tenant.id, [holding(RateSet, DEFAULT_RATE_SET)]);
    return found;
  }

  /** The default division: records without a division belong to it. */
  async defaultDivision(tenant: TenantRef): Promise<Folded<DivisionState> | undefined> {
    const [found] = await this.loader.load(tenant.id, [holding(Division, DEFAULT_DIVISION)]);
    return found;
  }

  /** The records that every tenant needs: default division, default rate set, system roles, Standard tax codes. */
  async foundations(tenant: TenantRef): Promise<Id[]> {
    const asks: Ask<unknown>[] = [
      holding(Division, DEFAULT_DIVISION),
      holding(RateSet, DEFAULT_RATE_SET),
      ...SYSTEM_ROLES.map((name) => holding(Role, roleName(name))),
      linkedTo(TaxCode, THE_STANDARD, [STANDARD_TAX_CODE]),
    ];
    const found = (await this.loader.load(tenant.id, asks)) as (Folded | Folded[] | undefined)[];
    return found.flatMap((one) => one ?? []).map(({ id }) => id);
  }

  /**
   * The given records and all records to which they refer, directly or indirectly. A record comes after those to which
   * it refers. The import's own records and deleted ones are left out.
   */
  async *withReferences(
    tenant: TenantRef,
    ids: readonly Id[],
    own: OwnRecords,
    signal: AbortSignal,
  ): AsyncGenerator<ExistingRecord> {
    const all = new Set<Id>();
    for (let next = [...ids]; next.length > 0; ) {
      const fresh: Id[] = [];
      for (const id of new Set(next)) if (!all.has(id) && (await isOther(id, own))) fresh.push(id);
      next = [];
      for await (const { definition, folded } of this.load(tenant, fresh, signal)) {
        all.add(folded.id);
        next.push(...definition.links(folded.data).map(({ target }) => target as Id));
      }
    }
    for (const kind of ORDER)
      yield* this.load(
        tenant,
        [...all].filter((id) => kindOf(id) === kind),
        signal,
      );
  }

  /** A record that must exist. */
  async one(tenant: TenantRef, id: Id): Promise<ExistingRecord> {
    const definition = this.definitionOf(id);
    const [folded] = await this.loader.load(tenant.id, [at(definition, id)]);
    return { definition, folded: folded as Folded<RecordState> };
  }

  private async *load(
    tenant: TenantRef,
    ids: readonly Id[],
    signal: AbortSignal,
  ): AsyncGenerator<ExistingRecord> {
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      signal.throwIfAborted();
      const asked = ids.slice(from, from + AT_ONCE).map((id) => ({ id, definition: this.definitionOf(id) }));
      const found = await this.loader.load(
        tenant.id,
        asked.map(({ id, definition }) => at(definition, id)),
      );
      for (const [index, folded] of (found as (Folded<RecordState> | undefined)[]).entries())
        if (folded && !folded.data.isDeleted) yield { definition: asked[index].definition, folded };
    }
  }

  private definitionOf(id: Id): AnyDefinition {
    return this.definitions.ofKind(kindOf(id)!);
  }
}

/**
 * Whether the default rate set is another than the one that a tenant begins with: an empty set that nobody has changed.
 */
export function isOwn(rates: Folded<RateSetState> | undefined): boolean {
  return rates !== undefined && (rates.version > 1 || rates.data.entries.length > 0 || isImported(rates.id));
}

async function isOther(id: Id, own: OwnRecords): Promise<boolean> {
  const kind = kindOf(id);
  return kind !== undefined && ORDER.includes(kind) && !(await own.has(id, kind));
}

/** Adds to `known` what rows that refer to the record must know of it. */
export function learnExisting(known: KnownRecords, { definition, folded }: ExistingRecord): void {
  const { id, data } = folded;
  const as = <State>() => data as unknown as State;
  const { kind } = definition;
  if (kind === 'taxcode') known.taxCode(id, as<TaxCodeState>());
  if (kind === 'disbursementcode') known.costCode(id, as<DisbursementCodeState>());
  if (kind === 'tasktype') known.taskType(id, as<TaskTypeState>());
  if (kind === 'client') known.client(id, as<ClientState>());
  if (kind === 'matter') known.matter(id, as<MatterState>());
}
