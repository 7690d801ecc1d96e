import type { AnyDefinition } from '#event-store/events';
import type { DomainEvent } from '#kernel/decider';
import { type MatterState, MatterStatus } from '#practice/matters/matter';
import { Activity } from '#practice/records/activity';
import type { RecordState } from '#practice/records/record';
import type { ExistingRecord } from '../records/existing-records';

/** Properties of states that are no fields of a creating event. */
const DERIVED = [
  'isDeleted',
  'state',
  'used',
  'roleIds',
  'anonymisedOn',
  'dateClosed',
  'dateArchived',
] as const;

type Switched = RecordState & { state: Activity };

/**
 * The events that recreate a record of one tenant in another, with its current state rather than its history. An erased
 * person is recreated with the name that stands for them.
 */
export function copyEvents({ definition, folded }: ExistingRecord): DomainEvent[] {
  const { data } = folded;
  const fields = Object.fromEntries(
    Object.entries(data).filter(([name]) => !(DERIVED as readonly string[]).includes(name)),
  );
  const event = (verb: string, more: object = {}) => ({ type: `${nameOf(definition)}${verb}`, data: more });
  return [event('Created', fields), ...later(definition.kind, data, event)];
}

type Event = (verb: string, data?: object) => DomainEvent;

function later(kind: string, data: RecordState, event: Event): DomainEvent[] {
  switch (kind) {
    case 'entity':
      return (data as RecordState & { roleIds: string[] }).roleIds.map((roleId) => ({
        type: 'RoleAssigned',
        data: { roleId },
      }));
    case 'taxcode':
      return ((data as RecordState & { used?: unknown[] }).used ?? []).map((from) => event('Used', { from }));
    case 'matter':
      return endOf(data as MatterState, event);
    case 'client': {
      const { state } = data as Switched;
      if (state === Activity.New) return [];
      return state === Activity.Active ? [event('Activated')] : [event('Activated'), event('Deactivated')];
    }
    default:
      return (data as Switched).state === Activity.Inactive ? [event('Deactivated')] : [];
  }
}

function endOf({ state, dateClosed, dateArchived }: MatterState, event: Event): DomainEvent[] {
  if (state === MatterStatus.Open) return [];
  const closed = event('Closed', { dateClosed });
  return state === MatterStatus.Closed ? [closed] : [closed, event('Archived', { dateArchived })];
}

/** The prefix of a kind's event types, as `Matter` of `MatterCreated`. */
function nameOf({ events }: AnyDefinition): string {
  const [created] = Object.keys(events).filter((type) => type.endsWith('Created'));
  return created.slice(0, -'Created'.length);
}
