import type { AnyDefinition } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { type ApplicableRateState, requireSound } from '#practice/applicable-rates/applicable-rate';
import { activateClient, type ClientState, deactivateClient, updateClient } from '#practice/clients/client';
import { CostRecovery } from '#practice/cost-recoveries/cost-recovery';
import { type DivisionState, updateDivision } from '#practice/divisions/division';
import { type EntityState, updateEntity } from '#practice/entities/entity';
import { Invoice } from '#practice/invoices/invoice';
import {
  archiveMatter,
  closeMatter,
  Matter,
  type MatterState,
  MatterStatus,
  reopenMatter,
  updateMatter,
} from '#practice/matters/matter';
import { type RateSetState, requireDistinct } from '#practice/rate-sets/rate-set';
import { Activity } from '#practice/records/activity';
import {
  activate,
  deactivate,
  type SimpleDefinition,
  type SwitchedState,
  update,
} from '#practice/records/simple-record';
import { type RoleState, requireCustom } from '#practice/roles/role';
import type { TaxCodeState } from '#practice/tax-codes/tax-code';
import { requireRates, requireUsedKept } from '#practice/tax-codes/tax-code.rates';
import { WorkItem } from '#practice/work-items/work-item';
import { Evolving } from '../records/evolving';
import type { WantedInvoice } from '../records/invoice-records';
import { NOTHING_LEFT, type WantedMatter } from '../records/matter-records';
import type { WantedClient } from '../records/people-records';
import type { Fields } from '../records/reference-records';
import type { WantedCost, WantedWorkItem } from '../records/work-records';
import { billableUpdates } from './billable-updates';
import { changesOf, type Occasion } from './changes';
import { invoiceUpdates } from './invoice-updates';

// biome-ignore lint/suspicious/noExplicitAny: the state and the wish belong to the table
type Update = (state: any, wanted: any, occasion: Occasion) => DomainEvent[];

/**
 * The events that update a record to its changed row: as few as the commands would yield.
 * @param wanted the content of the row, as the table's maker reads it
 * @throws DomainError when no command could make the change either
 */
export function updatesOf(
  { table, definition }: { table: string; definition: AnyDefinition },
  state: object,
  wanted: object,
  occasion: Occasion,
): DomainEvent[] {
  const own = updates[table];
  if (own) return own(state, wanted, occasion);
  return simply(definition as unknown as SimpleDefinition<never>)(state, wanted, occasion);
}

/** The update of a record that has nothing but fields. */
function simply({ name }: { name: string }, check?: (state: never, next: never) => void): Update {
  return (state, { fields }: Fields<object>) => {
    const changes = changesOf(state, fields);
    check?.(state as never, { ...state, ...fields } as never);
    return update({ name }, changes);
  };
}

const switches: Record<string, Activity> = {
  New: Activity.New,
  Active: Activity.Active,
  Inactive: Activity.Inactive,
};

const updates: Record<string, Update> = {
  // The default division is the tenant's choice, so it stays.
  Division: (state: DivisionState, { fields }: Fields<DivisionState>) =>
    updateDivision(state, changesOf(state, { ...fields, isDefault: state.isDefault })),
  Role: simply({ name: 'Role' }, requireCustom as (state: RoleState) => void),
  TaxCode: simply({ name: 'TaxCode' }, (state: TaxCodeState, next: TaxCodeState) => {
    requireRates(next);
    requireUsedKept(state, next);
  }),
  RateSet: (state: RateSetState, { fields }: Fields<RateSetState>, { keepsDefaultRates }) => {
    requireDistinct(fields.entries);
    // A default rate set that the tenant has chosen stays, and a row cannot take the default away.
    const isDefault = state.isDefault || (fields.isDefault && !keepsDefaultRates);
    return update({ name: 'RateSet' }, changesOf(state, { ...fields, isDefault }));
  },
  ApplicableRate: simply(
    { name: 'ApplicableRate' },
    (state: ApplicableRateState, next: ApplicableRateState) => requireSound(next, state),
  ),
  Entity: (state: EntityState, { fields }: Fields<EntityState>) =>
    updateEntity(state, changesOf(asRowsHave(state), fields)),
  Employee: ofOneEntity('Employee', 'an employee'),
  Supplier: ofOneEntity('Supplier', 'a supplier'),
  Client: clientUpdates,
  Matter: matterUpdates,
  WorkItem: (state, wanted: WantedWorkItem, occasion) => billableUpdates(WorkItem, state, wanted, occasion),
  CostRecovery: (state, wanted: WantedCost, occasion) =>
    billableUpdates(CostRecovery, state, wanted, occasion),
  Invoice: (state, wanted: WantedInvoice, { reason }) => invoiceUpdates(Invoice, state, wanted, reason),
};

/** An erased entity has both kinds of names; a row has only that of its type. */
function asRowsHave(state: EntityState): EntityState {
  if (state.anonymisedOn === null) return state;
  return { ...state, [state.entityType === 'Organisation' ? 'lastName' : 'name']: null };
}

/** @param what the record in a message, such as `a supplier` */
function ofOneEntity(name: string, what: string) {
  return (state: SwitchedState, { fields, isActive }: Fields<object> & { isActive: boolean }) => {
    const changes = changesOf(state, fields);
    if ('entityId' in changes) throw conflict('entity_fixed', `The entity of ${what} cannot be changed.`);
    const switched = isActive ? activate({ name }, state) : deactivate({ name }, state);
    return [...update({ name }, changes), ...switched];
  };
}

function clientUpdates(state: ClientState, wanted: WantedClient): DomainEvent[] {
  const clientNumber = wanted.fields.clientNumber ?? state.clientNumber;
  const events: DomainEvent[] = updateClient(changesOf(state, { ...wanted.fields, clientNumber }));
  const activity = switches[wanted.state];
  if (activity === state.state) return events;
  if (activity === Activity.New)
    throw conflict('client_activated', 'A client that was activated cannot become new again.');
  const activated = activateClient(state);
  if (activity === Activity.Active) return [...events, ...activated];
  // No open matters are counted: matters of the import follow later, and validation has checked that their rows close them.
  const active = { ...state, state: Activity.Active };
  return [...events, ...(state.state === Activity.New ? activated : []), ...deactivateClient(active, 0)];
}

function matterUpdates(state: MatterState, wanted: WantedMatter): DomainEvent[] {
  const fields = { ...wanted.fields, matterNumber: wanted.fields.matterNumber ?? state.matterNumber };
  const changes = changesOf(state, fields);
  const matter = new Evolving(Matter, state);
  if ('clientId' in changes) throw conflict('client_fixed', 'The client of a matter cannot be changed.');
  if (Object.keys(changes).length > 0) matter.apply(updateMatter(state, changes, 0));
  const ended = wanted.dateClosed === null ? null : new Date(wanted.dateClosed);
  const isArchived = state.state === MatterStatus.Archived;
  const isAsWanted = MatterStatus[wanted.state as keyof typeof MatterStatus] === state.state;
  const isEndedThen = state.state === MatterStatus.Open || state.dateClosed === ended?.toISOString();
  if (isAsWanted && isEndedThen) return matter.events;
  if (isArchived) throw conflict('matter_archived', 'An archived matter cannot be reopened.');
  if (wanted.state === 'Open' || !isEndedThen) matter.apply(reopenMatter(matter.now));
  if (wanted.state === 'Open') return matter.events;
  matter.apply(closeMatter(matter.now, NOTHING_LEFT, ended!));
  if (wanted.state === 'Archived') matter.apply(archiveMatter(matter.now, ended!));
  return matter.events;
}
