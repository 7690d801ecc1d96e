import type { SwitchedEvent } from '../records/simple-record';

export interface MatterTypeFields {
  code: string | null;
  name: string;
  /** Id of the parent type, which has no parent itself. */
  parentId: string | null;
  /** Divisions that do such work; empty: all of them. */
  divisionIds: string[];
  /** For how many years the file is kept after the matter is closed. */
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
