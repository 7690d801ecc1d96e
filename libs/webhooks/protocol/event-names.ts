import { qualifiedNames } from './event-names.table';

const ownNames = new Map(Object.entries(qualifiedNames).map(([own, qualified]) => [qualified, own]));

/**
 * The name under which subscribers know an event of a stream: `WorkItemFinalised` of a workitem is
 * `workitem.finalised`.
 */
export function nameOfEvent(kind: string, type: string): string {
  const isOfKind = type.toLowerCase().startsWith(kind);
  const what = isOfKind ? type.slice(kind.length) : type;
  return `${kind}.${what.charAt(0).toLowerCase()}${what.slice(1)}`;
}

/**
 * Converts our name to that of existing clients: `PE.Mk2.Accounting.V1.MatterCreated`; undefined when there is none.
 */
export function qualifiedName(name: string): string | undefined {
  return Object.hasOwn(qualifiedNames, name) ? qualifiedNames[name] : undefined;
}

/** Converts a name of existing clients to ours. */
export function ownName(qualified: string): string | undefined {
  return ownNames.get(qualified);
}
