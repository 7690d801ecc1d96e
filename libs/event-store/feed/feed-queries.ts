import { sentBytes } from '#platform/database/sent-bytes';
import { EVENT_COLUMNS } from '../codec';

/** Limit in bytes for the events of a page. Decoded, they take several times as much memory. */
export const PAGE_WEIGHT = 16 * 1024 * 1024;

/**
 * The next events of each partition in commit order, until they reach the given weight; the event that reaches it is
 * marked `cut`. Only events below every open transaction are visible, so that a late commit is never skipped.
 */
export const FEED_QUERY = feedQuery('*', sentBytes('data'));

/**
 * The same for readers that do not need the data of some tenants' events: for the tenants of the last parameter, the
 * data is neither unpacked nor sent.
 */
export const BARE_FEED_QUERY = feedQuery(
  `tenant_id, stream_id, version, event_id, type, schema_version, recorded_at,
      partition, epoch, transaction_id, position, metadata,
      case when tenant_id = any($7::integer[]) then '{}' else data end as data`,
  `case when tenant_id = any($7::integer[]) then 0 else ${sentBytes('data')} end`,
);

function feedQuery(columns: string, weight: string): string {
  return `
  select ${EVENT_COLUMNS}, nullif(e.sum >= $6, false) as cut
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) as c(partition, epoch, transaction_id, position)
  cross join lateral (
    select * from (
      select f.*, sum(weight) over (order by epoch, transaction_id, position rows unbounded preceding) from (
        select ${columns}, ${weight} as weight from event_store.events f
        where f.partition = c.partition
          and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
          and (f.epoch, f.transaction_id)
            < ((select max(epoch) from event_store.epochs), pg_snapshot_xmin(pg_current_snapshot()))
        order by f.epoch, f.transaction_id, f.position
        limit (select $5::bigint)
      ) f
    ) f
    where sum - weight < $6
  ) e
  order by e.partition, e.epoch, e.transaction_id, e.position`;
}

/** The recording time of the next event after each cursor, including events that readers cannot see yet. */
export const OLDEST_QUERY = `
  select e.recorded_at as oldest
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) with ordinality
    as c(partition, epoch, transaction_id, position, number)
  left join lateral (
    select recorded_at from event_store.events f
    where f.partition = c.partition
      and (f.epoch, f.transaction_id, f.position) > (c.epoch, c.transaction_id::xid8, c.position)
    order by f.epoch, f.transaction_id, f.position
    limit (select $5::bigint)
  ) e on true
  order by c.number`;

/** The oldest open transaction that has written, of any database of the server, including prepared transactions. */
export const HOLDER_QUERY = `
  select who from (
    select age(backend_xid), format('pid %s, user %s, database %s, application %s', pid, usename, datname, application_name) as who
    from pg_stat_activity where backend_xid is not null
    union all
    select age(transaction), format('prepared transaction %s, user %s, database %s', gid, owner, database)
    from pg_prepared_xacts
  ) writing order by age desc limit 1`;

/** Compares position and stream, because a restored server may assign positions again. */
export const HAS_QUERY = `
  select e.known is not null as known
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[], $5::text[], $6::bigint[]) with ordinality
    as c(partition, epoch, transaction_id, position, stream_id, version, number)
  left join lateral (
    select true as known from event_store.events f
    where f.partition = c.partition and f.epoch = c.epoch and f.transaction_id = c.transaction_id::xid8
      and f.position = c.position and f.stream_id::text = c.stream_id and f.version = c.version
    limit 1
  ) e on true
  order by c.number`;

/** The numbers of cursors, from 1, that are not the position of any event. */
export const STRANGE_QUERY = `
  select c.number::int as number
  from unnest($1::smallint[], $2::integer[], $3::text[], $4::bigint[]) with ordinality
    as c(partition, epoch, transaction_id, position, number)
  left join lateral (
    select true as known from event_store.events f
    where f.partition = c.partition and f.epoch = c.epoch and f.transaction_id = c.transaction_id::xid8
      and f.position = c.position
    limit 1
  ) e on true
  where e.known is null
  order by c.number
  limit (select $5::bigint)`;
