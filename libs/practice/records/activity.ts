import { WholeNumberFilter } from '#platform/http/input/list-query';

/** States of records that can be deactivated. The integers are fixed, since clients store them. */
export const Activity = { New: 0, Active: 1, Inactive: 2 } as const;
export type Activity = (typeof Activity)[keyof typeof Activity];

const names = ['New', 'Active', 'Inactive'];

/** The name of a state, as shown beside the integer. */
export function activityName(state: Activity): string {
  return names[state];
}

/** A list's filter by activity, for records that are active from the start: only clients are New at first. */
export const ActivityFilter = (): PropertyDecorator =>
  WholeNumberFilter('1 Active, 2 Inactive.', { min: 0, max: 2 });
