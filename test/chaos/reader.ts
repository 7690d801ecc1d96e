import { columns, listingVariables, workItemListing } from '../e2e/specification-walk';
import type { Answer, ApiClient } from '../support/client';
import type { Ledger } from './ledger';
import type { Outages } from './outages';

const LISTS = ['entities', 'clients', 'employees', 'divisions', 'matters', 'workitems'];

/** The units of all work in the report's period. */
export async function reportedUnits(api: ApiClient): Promise<Answer> {
  const { criteria, slice } = listingVariables();
  const totals = { ...slice, cols: columns(['units:sum']), sortBy: [], totalsOnly: true };
  return api.graphql(workItemListing, { criteria, slice: totals });
}

/** Reads one tenant's read models again and again. The counts never fall, and are never below what was acknowledged. */
export class Reader {
  looks = 0;
  private asked = 0;
  private readonly seen = new Map<string, number>();

  /** @param apis clients of one tenant, used in turn: all must show the same */
  constructor(
    private readonly apis: ApiClient[],
    private readonly ledger: Ledger,
    private readonly outages: Outages,
  ) {}

  private get tenant(): string {
    return this.apis[0].tenant;
  }

  /** Asks all questions. Every other time it waits for everything that was acknowledged. */
  async look(): Promise<void> {
    const isPatient = this.looks++ % 2 === 1;
    const { position, made } = this.ledger.least(this.tenant);
    const headers: Record<string, string> = isPatient ? { 'X-Min-Position': position } : {};
    for (const area of LISTS) {
      const path = `${area}?pageSize=1&includeTotalCount=true&includeDeleted=true`;
      const answer = await this.ask((api) => api.get(path, headers));
      if (!answer) return;
      const least = isPatient ? made.get(area) : undefined;
      this.compare(area, answer.body.data.totalCount, least, this.ledger.most(this.tenant, area));
    }
    await this.ask((api) => api.get('tenants'));
    const answer = await this.ask(reportedUnits);
    if (answer) this.compare('units', answer.body.data.work_item_listing[0]?.units ?? 0);
  }

  /** Undefined when the database was away, or the projector did not reach the position in time. */
  private async ask(question: (api: ApiClient) => Promise<Answer>): Promise<Answer | undefined> {
    const began = Date.now();
    const answer = await question(this.apis[this.asked++ % this.apis.length]);
    if (answer.status === 200) return answer;
    if (answer.status === 503 && answer.body.code === 'position_not_reached') return undefined;
    if (answer.status === 503 && this.outages.excuses(began)) {
      await this.outages.over();
      return undefined;
    }
    throw new Error(`A reader was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  private compare(what: string, now: number, least = 0, most = Number.POSITIVE_INFINITY): void {
    const before = this.seen.get(what) ?? 0;
    this.seen.set(what, now);
    if (now >= before && now >= least && now <= most) return;
    const bounds = `after ${before}, with ${least} to ${most} made`;
    throw new Error(`${this.tenant} showed ${now} ${what} ${bounds}`);
  }
}
