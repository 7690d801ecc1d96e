import { columns, listingVariables, workItemListing } from '../e2e/specification-walk';
import type { Answer, ApiClient } from '../support/client';
import type { Outages } from './outages';
import type { Pace } from './pace';
import { pennies } from './source-firm';

/** The answers to all questions about a tenant. */
export interface Sight {
  workitems: number;
  matters: number;
  invoices: number;
  /** The value of all work, according to the report. */
  pennies: number;
}

type Question = keyof Sight;

const QUESTIONS: readonly Question[] = ['workitems', 'matters', 'invoices', 'pennies'];

/** The report on all work, without a limit of time. @param by a column to group by */
export async function reportedWork(api: ApiClient, by?: string): Promise<Answer> {
  const { slice } = listingVariables();
  const grouped = by
    ? { cols: columns([by, 'totalBase:sum']), sortBy: [{ colId: by, desc: false }], rowGroups: columns([by]) }
    : { cols: columns(['totalBase:sum']), sortBy: [], totalsOnly: true };
  return api.graphql(workItemListing, { criteria: null, slice: { ...slice, endRow: 1_000, ...grouped } });
}

async function ask(api: ApiClient, question: Question): Promise<Answer> {
  return question === 'pennies'
    ? reportedWork(api)
    : api.get(`${question}?pageSize=1&includeTotalCount=true`);
}

function told(question: Question, { body }: Answer): number {
  return question === 'pennies' ? pennies(body.data.work_item_listing[0].totalBase) : body.data.totalCount;
}

/** The current answers. */
export async function sightOf(api: ApiClient): Promise<Sight> {
  const answers = QUESTIONS.map(async (question) => [question, told(question, await ask(api, question))]);
  return Object.fromEntries(await Promise.all(answers));
}

/**
 * Clients that ask about a tenant all the time. Every answer is either the one before the promotion or the one after
 * it. Once one question was answered with the state after it, so is every question that is asked from then on.
 */
export class Onlookers {
  looks = 0;
  private isAfter = false;

  constructor(
    private readonly api: ApiClient,
    private readonly before: Sight,
    private readonly after: Sight,
    private readonly outages: Outages,
  ) {}

  /**
   * @param count the number of clients
   * @param pace of all of them together
   */
  async watch(count: number, isOver: () => boolean, pace: Pace): Promise<void> {
    const one = async () => {
      while (!isOver())
        for (const question of QUESTIONS) {
          await this.look(question);
          await pace.turn();
        }
    };
    await Promise.all(Array.from({ length: count }, one));
  }

  private async look(question: Question): Promise<void> {
    const began = Date.now();
    const wasAfter = this.isAfter;
    const answer = await ask(this.api, question);
    if (answer.status === 503 && this.outages.excuses(began)) return this.outages.over();
    if (answer.status !== 200 || answer.body.errors)
      throw new Error(`An onlooker was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    this.looks++;
    const now = told(question, answer);
    if (now === this.after[question]) this.isAfter = true;
    else if (wasAfter || now !== this.before[question])
      throw new Error(
        `${now} ${question} were shown, ${wasAfter ? 'after all' : 'in between'}: ` +
          `${this.before[question]} before, ${this.after[question]} after`,
      );
  }
}
