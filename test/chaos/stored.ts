import { printPosition } from '#event-store/position';
import { toUuid } from '#kernel/ids';
import { execute } from '../support/database';
import { REFUSED } from './caller';
import type { Ledger } from './ledger';

/** Every acknowledged write is in the store once, at the position that its answer named, and no refused write is. */
export async function expectStored(url: string, ledger: Ledger): Promise<void> {
  expect(await storedVersions(url, ledger)).toEqual(acknowledgedVersions(ledger));
  expect(await brokenStreams(url)).toEqual([]);
  expect(await storedKeys(url)).toEqual([...ledger.keys].sort());
  expect(await tracesOfRefusals(url)).toEqual([]);
  expect(await misstated(url, ledger)).toEqual([]);
}

/** The versions of the streams of the ledger's tenants, by tenant and id, without those that the set-up created. */
async function storedVersions(url: string, { tenants }: Ledger): Promise<Map<string, number>> {
  const rows = await execute<{ name: string; version: number }>(
    url,
    `select t.alias || ' ' || s.stream_id as name, s.version
     from event_store.streams s join platform.tenants t on t.id = s.tenant_id
     where s.state -> 'audit' ->> 'createdBy' <> 'cli' and t.alias = any($1)`,
    [tenants],
  );
  return new Map(rows.map(({ name, version }) => [name, version]));
}

function acknowledgedVersions(ledger: Ledger): Map<string, number> {
  const known = [...ledger.records.values()];
  return new Map(known.map(({ tenant, id, version }) => [`${tenant} ${toUuid(id)}`, version]));
}

/** Streams whose events are not numbered from 1 to the stream's version without gaps. */
async function brokenStreams(url: string): Promise<object[]> {
  return execute(
    url,
    `select stream_id, s.version, e.events, e.first, e.last
     from event_store.streams s full join (
       select tenant_id, stream_id, count(*)::int as events, min(version) as first, max(version) as last
       from event_store.events group by 1, 2
     ) e using (tenant_id, stream_id)
     where (s.version, 1, s.version) is distinct from (e.events, e.first, e.last)`,
  );
}

async function storedKeys(url: string): Promise<string[]> {
  const rows = await execute<{ key: string }>(url, 'select key from event_store.idempotency_keys');
  return rows.map(({ key }) => key).sort();
}

/** Events and states that contain text of a refused write. */
async function tracesOfRefusals(url: string): Promise<object[]> {
  return execute(
    url,
    `select stream_id from event_store.events where position($1 in data::text) > 0
     union all select stream_id from event_store.streams where position($1 in state::text) > 0`,
    [REFUSED],
  );
}

/** Writes whose X-Event-Position differs from the position of their event. */
async function misstated(url: string, { stated }: Ledger): Promise<object[]> {
  const rows = await execute<{ name: string; at: string }>(
    url,
    `select stream_id || ' ' || version as name, epoch || '.' || transaction_id || '.' || position as at
     from event_store.events`,
  );
  const places = new Map(rows.map(({ name, at }) => [name, at]));
  return stated.filter(({ id, version, at }) => places.get(`${toUuid(id)} ${version}`) !== printPosition(at));
}
