import type { Folded } from '#event-store/events';
import { at, counter } from '#event-store/load';
import type { Loader } from '#event-store/loader';
import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { type Kind, toId } from '#kernel/ids';
import type { Day } from '#kernel/zone';
import type { WriteDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { CLIENT_NUMBER } from '../clients/client';
import { ACTIVE_DIVISIONS, DEFAULT_DIVISION, Division, type DivisionState } from '../divisions/division';
import { INVOICE_NUMBER } from '../invoices/invoice';
import { MATTER_NUMBER } from '../matters/matter';
import { RateSet, type RateSetState } from '../rate-sets/rate-set';
import { Activity } from '../records/activity';
import type { RecordState } from '../records/record';
import { TaskType, type TaskTypeState } from '../task-types/task-type';
import { TaxCode, type TaxCodeState } from '../tax-codes/tax-code';
import { taxRateOn } from '../tax-codes/tax-code.rates';
import { Tenant, type TenantState } from '../tenants/tenant';

/** The start data of a tenant, before the firm is added. */
export interface Start {
  settings: TenantState;
  /** The default division. */
  division: Folded<DivisionState>;
  activeDivisions: number;
  /** Active task types, sorted by code. */
  taskTypes: Folded<TaskTypeState>[];
  taxCodes: Folded<TaxCodeState>[];
  rateSet: Folded<RateSetState> | undefined;
  /** The last number that each counter has given. */
  numbers: { client: number; matter: number; invoice: number };
}

/** Kinds of record that a tenant may have before a firm is added. */
const START_KINDS: readonly Kind[] = ['tenant', 'division', 'role', 'taxcode', 'tasktype', 'rateset'];

/**
 * Loads the start data of a tenant that has no other records.
 * @throws DomainError `tenant_has_records` (409), `start_data_missing` (422)
 */
export async function loadStart(database: WriteDatabase, loader: Loader, tenant: TenantRef): Promise<Start> {
  const records = await recordsOf(database, tenant);
  const load = async <State extends RecordState>(definition: StreamDefinition<State, DomainEvent>) => {
    const ids = records.filter(({ kind }) => kind === definition.kind).map(({ id }) => id);
    const found = await loader.load(
      tenant.id,
      ids.map((id) => at(definition, toId(definition.kind, id))),
    );
    return (found as Folded<State>[]).filter(({ data }) => !data.isDeleted);
  };
  const [settings] = await load(Tenant);
  const divisions = await load(Division as StreamDefinition<DivisionState, DomainEvent>);
  const division = divisions.find(({ data }) => data.isDefault);
  if (!division) throw missing(`${DEFAULT_DIVISION.kind.replace('_', ' ')}`);
  const taskTypes = (await load(TaskType)).filter(({ data }) => data.state === Activity.Active);
  const counters = [ACTIVE_DIVISIONS, CLIENT_NUMBER, MATTER_NUMBER, INVOICE_NUMBER].map(counter);
  const [activeDivisions, client, matter, invoice] = await loader.load(tenant.id, counters);
  return {
    settings: settings.data,
    division,
    activeDivisions,
    numbers: { client, matter, invoice },
    taskTypes: taskTypes.sort((one, other) => one.data.code.localeCompare(other.data.code)),
    taxCodes: await load(TaxCode),
    rateSet: (await load(RateSet)).find(({ data }) => data.isDefault),
  };
}

/**
 * The tax code of lines that name none. If a first day is given, the code must have a rate on that day.
 * @throws DomainError `start_data_missing`, `tax_rate_not_found` (422)
 */
export function requireStandardTax({ taxCodes, settings }: Start, first?: Day): Folded<TaxCodeState> {
  const standard = taxCodes.find(
    ({ data }) => data.category === 'Standard' && data.scheme === settings.taxScheme,
  );
  if (!standard) throw missing(`tax code of the category Standard in ${settings.taxScheme}`);
  if (first) taxRateOn(standard.data, first);
  return standard;
}

async function recordsOf({ pool }: WriteDatabase, { id, alias }: TenantRef) {
  const { rows: others } = await pool.query<{ kind: string }>(
    'select kind from event_store.streams where tenant_id = $1 and kind <> all($2) limit 1',
    [id, START_KINDS],
  );
  if (others.length > 0) {
    throw conflict(
      'tenant_has_records',
      `The tenant ${alias} has records of its own (${others[0].kind}): demo data goes into a tenant that has only ` +
        'its start data. Make one with `tenants create --alias A --name N` and name it with `--tenant A`.',
    );
  }
  const { rows } = await pool.query<{ kind: string; id: string }>(
    'select kind, stream_id as id from event_store.streams where tenant_id = $1 order by stream_id',
    [id],
  );
  return rows;
}

function missing(what: string) {
  return invalid('start_data_missing', `The tenant has no ${what}.`);
}
