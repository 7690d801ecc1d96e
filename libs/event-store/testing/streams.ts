import type { DomainEvent, StreamDefinition } from '#kernel/decider';
import type { Id } from '#kernel/ids';

export interface ParentState {
  name: string;
  code: string | null;
  active: boolean;
  isDeleted: boolean;
}

export type ParentEvent =
  | DomainEvent<'ParentOpened', { name: string; code: string | null }>
  | DomainEvent<'ParentRenamed', { name: string }>
  | DomainEvent<'ParentClosed'>
  | DomainEvent<'ParentDeleted'>;

/** A stream with a natural key. It can be closed only while it has no open child. */
export const Parent: StreamDefinition<ParentState, ParentEvent> = {
  kind: 'client',
  foldVersion: 1,
  events: { ParentOpened: [], ParentRenamed: [], ParentClosed: [], ParentDeleted: [] },
  isDeleted: ({ isDeleted }) => isDeleted,
  links: () => [],
  keys: ({ code, isDeleted }) => (code === null || isDeleted ? [] : [{ kind: 'code', key: code }]),
  evolve(state, event) {
    if (event.type === 'ParentOpened') return { ...event.data, active: true, isDeleted: false };
    switch (event.type) {
      case 'ParentRenamed':
        return { ...state!, name: event.data.name };
      case 'ParentClosed':
        return { ...state!, active: false };
      case 'ParentDeleted':
        return { ...state!, isDeleted: true };
    }
  },
};

export const parentOpened = (name = 'parent', code: string | null = null): ParentEvent => ({
  type: 'ParentOpened',
  data: { name, code },
});
export const parentRenamed = (name: string): ParentEvent => ({ type: 'ParentRenamed', data: { name } });

export interface ChildState {
  parentId: Id<'client'>;
  open: boolean;
}

export type ChildEvent = DomainEvent<'ChildOpened', { parentId: Id<'client'> }> | DomainEvent<'ChildClosed'>;

export const OPEN_CHILD = 'open_child';

/** A stream that links to its parent while it is open. */
export const Child: StreamDefinition<ChildState, ChildEvent> = {
  kind: 'matter',
  foldVersion: 1,
  events: { ChildOpened: [], ChildClosed: [] },
  isDeleted: () => false,
  links: ({ parentId, open }) => (open ? [{ kind: OPEN_CHILD, target: parentId }] : []),
  keys: () => [],
  evolve: (state, event) =>
    event.type === 'ChildOpened' ? { ...event.data, open: true } : { ...state!, open: false },
};

export const childOpened = (parentId: Id<'client'>): ChildEvent => ({
  type: 'ChildOpened',
  data: { parentId },
});

export interface PersonState {
  fullName: string;
  title: string;
}

export type PersonEvent = DomainEvent<'PersonNamed', PersonState>;

/** A stream with a personal field. */
export const Person: StreamDefinition<PersonState, PersonEvent> = {
  kind: 'entity',
  foldVersion: 1,
  events: { PersonNamed: [] },
  isDeleted: () => false,
  links: () => [],
  keys: () => [],
  personal: { fields: ['fullName'], erased: () => ({ fullName: 'Erased' }) },
  evolve: (_, event) => event.data,
};
