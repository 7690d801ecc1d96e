import type { ListQuery } from '#platform/http/input/list-query';
import { aliasOf } from './list-rows';
import type { AnyList } from './record-list';

/** Columns by which a page is sorted, with their alias, and whose the first one is. */
export interface Order {
  columns: readonly string[];
  direction: 'asc' | 'desc';
  alias: string;
}

export function orderOf(list: AnyList, query: ListQuery): Order {
  if (query.changedAfter !== undefined) {
    const columns = ['r.changed_epoch', 'r.changed_transaction_id', 'r.changed_position'];
    return { columns, direction: 'asc', alias: 'r' };
  }
  const sort = query.sort ?? list.order;
  const column = list.sorts[sort.replace(/^-/, '')];
  const direction = sort.startsWith('-') ? 'desc' : 'asc';
  return { columns: [column, 'r.id'], direction, alias: aliasOf(column) };
}

/** As an index has it. */
export function asIndexed({ columns, direction }: Order): string {
  return columns.map((column) => `${column} ${direction}`).join(', ');
}

/** As the client sees it: rows that lack the joined record that they are sorted by come last, in both directions. */
export function asShown(order: Order): string {
  if (order.alias === 'r') return asIndexed(order);
  return order.columns.map((column) => `${column} ${order.direction} nulls last`).join(', ');
}

/** The columns of a result that is to be sorted again. */
export function named({ columns }: Order): string {
  return columns.map((column, index) => `${column} as key${index}`).join(', ');
}

/** The order of such a result. */
export function keysOf(order: Order): Order {
  return { ...order, columns: order.columns.map((_, index) => `key${index}`) };
}
