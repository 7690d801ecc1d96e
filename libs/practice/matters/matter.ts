import type { Link, StreamDefinition } from '#kernel/decider';
import { conflict } from '#kernel/errors';
import { OPEN_MATTER } from '../clients/client.lookup';
import { type RecordState, referenceKeys, refuseInUse } from '../records/record';
import { type MatterEvent, type MatterFields, matterEvents } from './matter.events';

/** The integers are fixed: clients store them. */
export const MatterStatus = { Open: 1, Closed: 2, Archived: 3 } as const;
export type MatterStatus = (typeof MatterStatus)[keyof typeof MatterStatus];
const names = ['', 'Open', 'Closed', 'Archived'];

export interface MatterState extends RecordState, MatterFields {
  state: MatterStatus;
  dateClosed: string | null;
  dateArchived: string | null;
}

/** Counter of the tenant's matter numbers, and the kind of natural key that holds each. */
export const MATTER_NUMBER = 'matter_number';
/** Kinds of links to a matter: from unbilled time and fees, from unbilled costs, from draft invoices. */
export const UNBILLED_WORK = 'unbilled_work';
export const UNBILLED_COST = 'unbilled_cost';
export const DRAFT_INVOICE = 'draft_invoice';
/** Kind of the links to a matter from its other records: settled or without value, or invoices that are no drafts. */
export const WORK = 'work';

function linksOf(state: MatterState): Link[] {
  if (state.isDeleted) return [];
  const people = [state.responsiblePersonId, state.actingPersonId, state.assistingPersonId];
  const entities = [state.introducerId, state.billingContactId];
  const terms = [state.matterTypeId, state.rateSetId, state.taxCodeId];
  return [
    { kind: state.state === MatterStatus.Open ? OPEN_MATTER : 'matter', target: state.clientId },
    { kind: 'matter_division', target: state.divisionId },
    ...[...new Set(people)].filter((id) => id !== null).map((target) => ({ kind: 'matter_person', target })),
    ...[...new Set(entities)]
      .filter((id) => id !== null)
      .map((target) => ({ kind: 'matter_entity', target })),
    ...terms.filter((id) => id !== null).map((target) => ({ kind: 'matter_terms', target })),
  ];
}

export const Matter: StreamDefinition<MatterState, MatterEvent> = {
  kind: 'matter',
  foldVersion: 2,
  events: matterEvents,
  isDeleted: ({ isDeleted }) => isDeleted,
  links: linksOf,
  keys: (state) => [
    ...referenceKeys('matter', state),
    ...(state.isDeleted ? [] : [{ kind: MATTER_NUMBER, key: state.matterNumber }]),
  ],
  evolve(state, event) {
    if (event.type === 'MatterCreated') {
      return {
        state: MatterStatus.Open,
        dateClosed: null,
        dateArchived: null,
        isDeleted: false,
        ...event.data,
      };
    }
    const before = state as MatterState;
    switch (event.type) {
      case 'MatterUpdated':
        return { ...before, ...event.data };
      case 'MatterClosed':
        return { ...before, state: MatterStatus.Closed, dateClosed: event.data.dateClosed };
      case 'MatterReopened':
        return { ...before, state: MatterStatus.Open, dateClosed: null };
      case 'MatterArchived':
        return { ...before, state: MatterStatus.Archived, dateArchived: event.data.dateArchived };
      case 'MatterDeleted':
        return { ...before, isDeleted: true };
    }
  },
};

/** Updates a matter. @param work the number of records that belong to the matter */
export function updateMatter(state: MatterState, changes: Partial<MatterState>, work: number): MatterEvent[] {
  if (Object.keys(changes).length === 0) return [];
  if (state.state === MatterStatus.Archived)
    throw conflict('matter_archived', 'An archived matter cannot be changed.');
  if (changes.clientId !== undefined && work > 0) {
    const bound = counted(work, 'record belongs', 'records belong');
    throw conflict('client_fixed', `The client of the matter cannot be changed: ${bound} to it.`);
  }
  return [{ type: 'MatterUpdated', data: changes }];
}

/** The numbers of records that keep a matter open. */
export interface Unfinished {
  work: number;
  costs: number;
  drafts: number;
}

export function closeMatter(state: MatterState, unfinished: Unfinished, now: Date): MatterEvent[] {
  if (state.state === MatterStatus.Closed) return [];
  requireStatus(state, MatterStatus.Open);
  const { work, costs, drafts } = unfinished;
  const counts = [
    counted(work, 'unbilled work item', 'unbilled work items'),
    counted(costs, 'unbilled cost recovery', 'unbilled cost recoveries'),
    counted(drafts, 'draft invoice', 'draft invoices'),
  ].filter((count) => count !== null);
  if (counts.length > 0) throw conflict('unbilled_work', `The matter has ${counts.join(', ')}.`);
  return [{ type: 'MatterClosed', data: { dateClosed: now.toISOString() } }];
}

export function reopenMatter(state: MatterState): MatterEvent[] {
  if (state.state === MatterStatus.Open) return [];
  requireStatus(state, MatterStatus.Closed);
  return [{ type: 'MatterReopened', data: {} }];
}

export function archiveMatter(state: MatterState, now: Date): MatterEvent[] {
  if (state.state === MatterStatus.Archived) return [];
  requireStatus(state, MatterStatus.Closed);
  return [{ type: 'MatterArchived', data: { dateArchived: now.toISOString() } }];
}

export function deleteMatter(uses: number): MatterEvent[] {
  refuseInUse('matter', uses);
  return [{ type: 'MatterDeleted', data: {} }];
}

export function matterStatusName(state: MatterStatus): string {
  return names[state];
}

function counted(count: number, one: string, many: string): string | null {
  return count === 0 ? null : `${count} ${count === 1 ? one : many}`;
}

function requireStatus(state: MatterState, wanted: MatterStatus): void {
  if (state.state === wanted) return;
  const code = `matter_not_${names[wanted].toLowerCase()}`;
  throw conflict(
    code,
    `The matter is ${names[state.state].toLowerCase()}; it must be ${names[wanted].toLowerCase()}.`,
  );
}
