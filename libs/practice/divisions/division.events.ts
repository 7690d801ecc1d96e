import type { SwitchedEvent } from '../records/simple-record';

export interface DivisionFields {
  code: string | null;
  name: string;
  isDefault: boolean;
}

export type DivisionEvent = SwitchedEvent<'Division', DivisionFields>;

export const divisionEvents = {
  DivisionCreated: [],
  DivisionUpdated: [],
  DivisionActivated: [],
  DivisionDeactivated: [],
  DivisionDeleted: [],
} satisfies Record<DivisionEvent['type'], []>;
