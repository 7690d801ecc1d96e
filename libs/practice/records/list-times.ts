import { endOfDay, startOfDay } from '#kernel/periods';
import { dayGiven } from '#kernel/zone';

/**
 * Kinds of filters by time. `from` and `until` compare with an instant; a request may give a day, which then counts as a
 * whole. `day` compares with a day; a request may give an instant, which stands for its day. Days are those of the tenant's
 * time zone.
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
 * Converts the times of a query to the form in which they are compared.
 * @param times kinds of the query's filters by time, by name
 * @param zone reads the tenant's zone; called only if a filter depends on it
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
