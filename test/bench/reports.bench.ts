/**
 * Reports over a firm of 1,000,000 work items (200 fee earners, 20,000 matters, five years, as `demo load` makes them),
 * with another firm of a tenth of that in the same tables. Over HTTP through the process query, with token and rate
 * limit; and the same questions to PostGraphile 4.14 with pg-aggregates, over one indexed table of the same items on
 * the same server, without a token. The rows of both sides must be the same, and sums equal to the last digit.
 * Questions that only this service is asked are checked with plain SQL. A caller asks one question after another. A
 * time ends when the rows are parsed and in the requested order: PostGraphile sends all groups unordered, so its caller
 * sorts them and cuts them off.
 * Finally, the projector's cost: batches of 500 events applied to that read model.
 * Arguments: work items, rounds. A million items take more than ten minutes to load. BENCH_REPORTS_DIR names a folder
 * that keeps the server's data for the next run with as many work items, which rebuilds the read models when migrations
 * or their versions differ; the events of the last part then go into a copy. Without it, all data is deleted at the
 * end.
 */
import { requestToken } from '../support/client';
import { execute } from '../support/database';
import { nodeFlags, startDeployed } from '../support/deployed';
import type { RunningApp } from '../support/process';
import { type ApplyCost, measureApply } from './support/apply-cost';
import { argument } from './support/argument';
import { type BenchServer, startBenchServer } from './support/bench-server';
import { Poster } from './support/open-loop';
import { BIG, copyReports, type Loaded, loadReports } from './support/reports-data';
import { type OwnQuestion, ownQuestions } from './support/reports-own-questions';
import { fillPeer, startPeer } from './support/reports-peer';
import { type Question, questionsOf, type Subject } from './support/reports-questions';
import { report } from './support/rounds';
import { requireSame } from './support/same-rows';
import { type Ask, Side } from './support/side';
import { percentile } from './support/visibility';

const ZONE = 'Europe/London';
/**
 * Requests to each side in a round. The first two or three after the other side's turn take up to twice as long,
 * because that side's data fills the processors' caches. With few requests a round, mostly those would be measured.
 */
const REQUESTS = 20;
/**
 * Each side first answers this many requests, or for this long, without being timed. A process that has just started
 * answers up to twice as slowly, until V8 has compiled the code that a question needs.
 */
const WARM_UP = { requests: 2_000, milliseconds: 5_000 };
/** The questions for which the design sets goals. */
const RATIOS = ['page', 'by employee', 'totals', 'top matters', 'deep page'];

interface Sides {
  ours: Side;
  theirs: Side;
}

/** The subject of the questions, chosen from the peer's table. */
async function subjectOf(url: string, items: number): Promise<Subject> {
  const [{ year }] = await execute<{ year: number }>(
    url,
    `select extract(year from max(entry_date))::integer - 1 as year from peer.work_items`,
  );
  // The median fee earner by number of items.
  const [{ employee }] = await execute<{ employee: string }>(
    url,
    `select employee_sort_name as employee from peer.work_items group by 1 order by count(*), 1
     offset (select count(distinct employee_sort_name) / 2 from peer.work_items) limit 1`,
  );
  return { year, zone: ZONE, employee, middle: Math.floor(items / 2) };
}

interface Turn {
  side: Side;
  ask: Ask;
  /** The number of rows that the answer must have. */
  rows: number;
}

async function timed({ side, ask, rows }: Turn): Promise<number> {
  const answer = await side.ask(ask);
  if (answer.rows.length !== rows) throw new Error(`${side.name}: ${answer.rows.length} rows of ${rows}`);
  return answer.ms;
}

async function warmUp(turn: Turn): Promise<void> {
  const end = performance.now() + WARM_UP.milliseconds;
  for (let asked = 0; asked < WARM_UP.requests && performance.now() < end; asked++) await timed(turn);
}

/** Warms all turns up, then asks each in turn, round by round. @returns their milliseconds */
async function alternate(turns: Turn[], rounds: number): Promise<number[][]> {
  for (const turn of turns) await warmUp(turn);
  const times = turns.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, turn] of turns.entries()) {
      for (let request = 0; request < REQUESTS; request++) times[index].push(await timed(turn));
    }
  }
  return times;
}

/** Adds the figures of a question that both sides are asked. @returns how many times faster this service is */
async function compare(
  { ours, theirs }: Sides,
  question: Question,
  rounds: number,
  figures: Record<string, number>,
): Promise<number> {
  const { name, values } = question;
  const mine = await ours.ask(question.ours);
  const other = await theirs.ask(question.theirs);
  requireSame(name, values, mine.rows, other.rows);
  const rows = mine.rows.length;
  const turns = [
    { side: ours, ask: question.ours, rows },
    { side: theirs, ask: question.theirs, rows },
  ];
  const [own, peers] = await alternate(turns, rounds);
  note(figures, name, 'ours', own);
  note(figures, name, 'postgraphile', peers);
  const ratio = percentile(peers, 0.5) / percentile(own, 0.5);
  process.stderr.write(`${name}: ${rows} rows, ratio ${ratio.toFixed(2)}\n`);
  return ratio;
}

async function askOwn(ours: Side, question: OwnQuestion, rounds: number, figures: Record<string, number>) {
  const { name, values, expected } = question;
  const { rows } = await ours.ask(question.ours);
  requireSame(name, values, rows, expected);
  const [times] = await alternate([{ side: ours, ask: question.ours, rows: rows.length }], rounds);
  note(figures, name, 'ours', times);
}

function note(figures: Record<string, number>, question: string, side: string, times: number[]): void {
  const [p50, p99] = [0.5, 0.99].map((part) => percentile(times, part));
  figures[`${question}, ${side} p50 ms`] = p50;
  figures[`${question}, ${side} p99 ms`] = p99;
  process.stderr.write(`${question}: ${side} p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms\n`);
}

/** Asks both sides every question. @returns the ratios by question */
async function askAll(loaded: Loaded, rounds: number, figures: Record<string, number>) {
  const { env, credentials } = loaded;
  const items = await fillPeer(loaded);
  const subject = await subjectOf(env.DATABASE_URL, items);
  const closing: (() => unknown)[] = [];
  try {
    const start = async (starting: Promise<RunningApp>) => {
      const app = await starting;
      closing.unshift(() => app.stop());
      return app;
    };
    const command = await start(startDeployed('command', env));
    const token = (await requestToken(command.baseUrl, credentials)).body.access_token as string;
    await command.stop();
    const query = await start(startDeployed('query', { ...env, NODE_ENV: 'production' }));
    const peer = await start(startPeer(env.DATABASE_URL, nodeFlags('query')));
    const poster = new Poster(token);
    closing.unshift(() => poster.close());
    const sides: Sides = {
      ours: new Side('ours', `${query.baseUrl}/${BIG}/graphql`, poster),
      theirs: new Side('postgraphile', `${peer.baseUrl}/graphql`, poster),
    };
    const ratios = new Map<string, number>();
    for (const question of questionsOf(subject))
      ratios.set(question.name, await compare(sides, question, rounds, figures));
    for (const question of await ownQuestions(loaded, subject))
      await askOwn(sides.ours, question, rounds, figures);
    return ratios;
  } finally {
    for (const close of closing) await close();
  }
}

/** Measures on a copy when the data is kept for the next run, because the measurement changes it. */
async function applyCost(
  server: BenchServer,
  { env, tenantId }: Loaded,
  isKept: boolean,
): Promise<ApplyCost> {
  if (!isKept) return measureApply(env.DATABASE_URL, tenantId);
  const copy = await copyReports(server);
  try {
    return await measureApply(copy.url, tenantId);
  } finally {
    await copy.drop();
  }
}

async function main(): Promise<void> {
  const items = argument(1, 'work items', 1_000_000);
  const rounds = argument(2, 'rounds', 5);
  const kept = process.env.BENCH_REPORTS_DIR;
  const server = await startBenchServer(kept);
  try {
    const loaded = await loadReports(server, items);
    const figures: Record<string, number> = {};
    const ratios = await askAll(loaded, rounds, figures);

    const { apply, transaction, mean } = await applyCost(server, loaded, kept !== undefined);
    figures['apply of 500 events, µs/event'] = apply;
    figures['apply of 500 events with its commit, µs/event'] = transaction;
    figures['apply of 500 events with its commit, mean µs/event'] = mean;

    const [{ server_version }] = await execute<{ server_version: string }>(
      server.url('postgres'),
      'show server_version',
    );
    for (const [question, ratio] of ratios) {
      if (!RATIOS.includes(question)) figures[`${question}, postgraphile ÷ ours`] = ratio;
    }
    report(
      'reports',
      Object.fromEntries(RATIOS.map((question) => [`vs postgraphile, ${question}`, ratios.get(question)!])),
      figures,
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
