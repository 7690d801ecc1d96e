import type { SwitchedEvent } from '../records/simple-record';

export interface MatterTypeFields {
  code: string | null;
  name: string;
  /** Id of the type that this one is a kind of, which has no parent itself. */
  parentId: string | null;
  /** Divisions that do such work; none: all of them. */
  divisionIds: string[];
  /** How long the file is kept once the matter is closed. */
  retentionYears: number | null;
}

export type MatterTypeEvent = SwitchedEvent<'MatterType', MatterTypeFields>;

export const matterTypeEvents = {
  MatterTypeCreated: [],
  MatterTypeUpdated: [],
  MatterTypeActivated: [],
  MatterTypeDeactivated: [],
  MatterTypeDeleted: [],
} satisfies Record<MatterTypeEvent['type'], []>;
