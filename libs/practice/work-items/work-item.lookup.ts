import { WorkItem, type WorkItemState } from './work-item';
import { ItemType } from './work-item.events';

export { timedAmount } from './work-item.value';
export { WorkItem, type WorkItemState };

/** Whether the item's rate is for an hour. */
export function isTimed({ itemType }: WorkItemState): boolean {
  return itemType === ItemType.Timed;
}
