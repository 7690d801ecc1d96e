import type { EventStore, Written } from '#event-store/event-store';
import { at, linksTo } from '#event-store/load';
import { conflict, notFound } from '#kernel/errors';
import { type Id, newId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import {
  Child,
  type ChildState,
  childOpened,
  OPEN_CHILD,
  Parent,
  type ParentState,
  parentOpened,
  parentRenamed,
} from './streams';

export function openParent(
  store: EventStore,
  context: RequestContext,
  { id = newId('client'), name = 'parent', code = null as string | null } = {},
): Promise<Written<ParentState>> {
  return store.execute(context, async (work) => work.create(Parent, id, [parentOpened(name, code)]));
}

/** Renames a parent; reads only that parent. */
export function renameParent(
  store: EventStore,
  context: RequestContext,
  id: Id,
  name: string,
): Promise<Written<ParentState>> {
  return store.execute(context, async (work) => {
    const { parent } = await work.load({ parent: at(Parent, id) });
    if (!parent) throw notFound('parent');
    return work.change(Parent, parent, [parentRenamed(name)]);
  });
}

export function closeParent(
  store: EventStore,
  context: RequestContext,
  id: Id,
): Promise<Written<ParentState>> {
  return store.execute(context, async (work) => {
    const { parent, open } = await work.load({ parent: at(Parent, id), open: linksTo(id, OPEN_CHILD) });
    if (open > 0) throw conflict('open_children', 'Children are open.');
    work.requireUnlinked(id, OPEN_CHILD);
    return work.change(Parent, parent!, [{ type: 'ParentClosed', data: {} }]);
  });
}

export function openChild(
  store: EventStore,
  context: RequestContext,
  parentId: Id<'client'>,
): Promise<Written<ChildState>> {
  return store.execute(context, async (work) => {
    const { parent } = await work.load({ parent: at(Parent, parentId) });
    if (!parent?.data.active) throw conflict('parent_not_active', 'The parent is closed.');
    return work.create(Child, newId('matter'), [childOpened(parentId)]);
  });
}
