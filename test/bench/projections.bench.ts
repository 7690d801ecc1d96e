/**
 * Rebuild of the work item read model, 200,000 events of 80,000 items, indexes included, by the operator's command and
 * timed by it (without the start of its process), compared with a rebuild of Emmett's raw SQL projection of the same
 * events, on one server.
 * This service writes a row of the same columns for each item, and with them its folded state, its audit fields and its
 * position in the feed. Emmett's table has the same indexes: the key, three with two columns, and one on the title's
 * words. Since Emmett handles one event at a time, it gets only the first of the ten weeks, 20,000 events, and the
 * rates are compared. That week's rows must be the same on both sides.
 * First argument: weeks.
 */
import { randomBytes } from 'node:crypto';
import { toUuid } from '#kernel/ids';
import { migrate } from '#platform/database/migrate';
import { requestToken } from '../support/client';
import { execute } from '../support/database';
import { startDeployed } from '../support/deployed';
import { argument } from './support/argument';
import { startBenchServer } from './support/bench-server';
import { cli, createTenants, type Firm, openFirm } from './support/firm';
import { loadWorkItems } from './support/load-work-items';
import { importPeer } from './support/peers';
import { type Contestant, report, rounds } from './support/rounds';
import { EVENTS_AN_ITEM, type Week, weekOf } from './support/work-item-lives';

const ITEMS_A_WEEK = 8_000;
const EVENTS_A_WEEK = ITEMS_A_WEEK * EVENTS_AN_ITEM;

interface Emmett {
  append(url: string, steps: { stream: string; event: object }[]): Promise<void>;
  rebuild(url: string): Promise<void>;
}

interface Rebuilt {
  events: number;
  milliseconds: number;
}

/** Sums of the rows, and a digest of all columns that both sides have. */
function digest(url: string, rows: string): Promise<object[]> {
  return execute(
    url,
    `select count(*), sum(units) as units, sum(total) as total, sum(remaining) as remaining, sum(version) as events,
       md5(string_agg(md5((id, version, entry_date, entry_day, matter_id, employee_id, invoice_id, item_type, item_state,
         is_billable, title, currency, rate, units, unit_minutes, duration_ticks, total, total_base, remaining)::text),
         '' order by id)) as rows
     from ${rows}`,
  );
}

const LIVE = `read_model.work_items where generation = read_model.live_generation('work-items', tenant_id)`;

/** Loads the weeks into this store. @returns the contestant */
async function ours(env: Record<string, string>, weeks: Week[]): Promise<Contestant> {
  await loadWorkItems(env.DATABASE_URL, 'bench', weeks);
  await settle(env.DATABASE_URL);
  const expected = weeks.length * EVENTS_A_WEEK;
  return {
    name: 'ours',
    async run() {
      const { events, milliseconds } = await cli<Rebuilt>(env, 'projections', 'rebuild', 'work-items');
      // The command may also count events of the firm's other records, which are not counted here.
      if (events < expected) throw new Error(`ours: rebuilt from ${events} events of ${expected}`);
      return (expected / milliseconds) * 1000;
    },
  };
}

/** Loads the week into Emmett's store. @returns the contestant */
async function emmett(url: string, { created, waves }: Week): Promise<Contestant> {
  const { append, rebuild } = await importPeer<Emmett>('emmett-work-items.mjs');
  const steps = [created, ...waves].flat().map(({ id, event }) => ({ stream: toUuid(id), event }));
  await append(url, steps);
  await settle(url);
  return {
    name: 'emmett',
    async run() {
      await execute(url, 'drop table if exists work_items; truncate emt_processors, emt_projections');
      const began = performance.now();
      await rebuild(url);
      return (EVENTS_A_WEEK / (performance.now() - began)) * 1000;
    },
  };
}

/** Finishes the work that a load leaves behind, so that no round pays for it. */
async function settle(url: string): Promise<void> {
  await execute(url, 'vacuum analyze');
  await execute(url, 'checkpoint');
}

async function createFirm(env: Record<string, string>): Promise<Firm> {
  const credentials = await createTenants(env, ['bench']);
  const command = await startDeployed('command', env);
  try {
    const { body } = await requestToken(command.baseUrl, credentials);
    return await openFirm(command.baseUrl, 'bench', body.access_token, { employees: 20, matters: 200 });
  } finally {
    await command.stop();
  }
}

async function compare(readUrl: string, emmettUrl: string, weeks: number): Promise<void> {
  const [all] = (await digest(readUrl, LIVE)) as [{ count: string; events: string }];
  if (Number(all.count) !== weeks * ITEMS_A_WEEK || Number(all.events) !== weeks * EVENTS_A_WEEK)
    throw new Error(`ours: ${all.count} rows of ${all.events} events`);
  const sides = [
    await digest(readUrl, `${LIVE} and entry_day < '2025-01-13'`),
    await digest(emmettUrl, 'work_items'),
  ];
  const [mine, theirs] = sides.map(([row]) => JSON.stringify(row));
  if (mine !== theirs) throw new Error(`The rows differ: ${mine} are ours, ${theirs} theirs`);
}

async function main(): Promise<void> {
  const count = argument(1, 'weeks', 10);
  const server = await startBenchServer();
  try {
    await execute(server.url('postgres'), 'create database ours');
    await execute(server.url('postgres'), 'create database emmett');
    const env = {
      DATABASE_URL: server.url('ours'),
      SECRETS_KEY: randomBytes(32).toString('base64'),
      LOG_LEVEL: 'warn',
    };
    await migrate(env.DATABASE_URL, 'write');
    await migrate(env.DATABASE_URL, 'read');
    const firm = await createFirm(env);
    const weeks = Array.from({ length: count }, (_, number) => weekOf(number, ITEMS_A_WEEK, firm));
    const contestants = [await ours(env, weeks), await emmett(server.url('emmett'), weeks[0])];
    const rates = await rounds(contestants, { count: 5, seconds: 0 });
    await compare(env.DATABASE_URL, server.url('emmett'), count);

    const [mine, theirs] = contestants.map(({ name }) => rates.get(name)!);
    const [{ server_version }] = await execute<{ server_version: string }>(
      env.DATABASE_URL,
      'show server_version',
    );
    report(
      'projections',
      { 'vs emmett': mine / theirs },
      {
        'ours, events/s': Math.round(mine),
        [`ours, ms for ${count * EVENTS_A_WEEK} events`]: Math.round((count * EVENTS_A_WEEK * 1000) / mine),
        'emmett, events/s': Math.round(theirs),
        [`emmett, ms for ${EVENTS_A_WEEK} events`]: Math.round((EVENTS_A_WEEK * 1000) / theirs),
      },
      server_version,
    );
  } finally {
    await server.stop();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
