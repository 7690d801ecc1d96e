import { endOfDay, startOfDay } from '#kernel/periods';
import { dayGiven } from '#kernel/zone';

/**
 * What a filter by time compares with: instants `from` which or `until` which, where a request may give a day and means
 * all of it; or a `day`, where a request may give an instant and means the day on which it falls. Days are the tenant's.
 */
export type Time = 'from' | 'until' | 'day';

const meant: Record<Time, (zone: string, text: string) => string> = {
  from: (zone, text) => (isDay(text) ? startOfDay(zone, text).toISOString() : text),
  until: (zone, text) => (isDay(text) ? endOfDay(zone, text).toISOString() : text),
  day: dayGiven,
};

function isDay(text: string): boolean {
  return text.length === 10;
}

/**
 * A query with its times as they are compared.
 * @param times by the names of its filters
 * @param zone of the tenant; not asked for where nothing depends on it
 */
export async function inZone<Query extends object>(
  query: Query,
  times: Record<string, Time>,
  zone: () => Promise<string>,
): Promise<Query> {
  const given = query as Query & Record<string, string | undefined>;
  const moved = Object.entries(times).filter(
    ([name, time]) => given[name] !== undefined && isDay(given[name]) === (time !== 'day'),
  );
  if (moved.length === 0) return query;
  const at = await zone();
  const resolved = moved.map(([name, time]) => [name, meant[time](at, given[name]!)]);
  return Object.assign(Object.create(Object.getPrototypeOf(query)), query, Object.fromEntries(resolved));
}
