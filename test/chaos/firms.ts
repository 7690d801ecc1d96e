import { ApiClient } from '../support/client';
import { waitFor } from '../support/wait-for';
import { Caller } from './caller';
import { Clerk, openFirm } from './clerk';
import type { Deployment } from './deployment';
import type { Fight } from './fight';
import type { Ledger } from './ledger';
import { LOADED_MS } from './loaded';
import type { Outages } from './outages';
import { Pace } from './pace';
import { Random } from './random';
import { Reader } from './reader';

const CLERKS = 4;
const WATCHERS = 6;
/** Looks of all readers together, at eight requests each. More of them would slow the writers down. */
const LOOKS_PER_SECOND = 30;

export const tenants = Array.from({ length: 12 }, (_, index) => `firm${index + 1}`);

/** The tenants' clerks and readers. Their requests go to all copies of a process in turn. */
export class Firms {
  private constructor(
    private readonly clerks: Clerk[],
    /** For each tenant, a client for each copy of query. */
    private readonly clients: ApiClient[][],
    readonly readers: Reader[],
    private readonly ledger: Ledger,
  ) {}

  /** Sets every tenant's clerks and readers up. */
  static async open(
    deployment: Deployment,
    tokens: ReadonlyMap<string, string>,
    ledger: Ledger,
    outages: Outages,
    seed: number,
  ): Promise<Firms> {
    const writes = await deployment.addressesOf('command');
    const hired = tenants.map(async (tenant, number) => {
      const caller = new Caller(tenant, tokens.get(tenant)!, writes, ledger, outages);
      ledger.begin(tenant, 'divisions'); // the default one that every tenant has
      const firm = await openFirm(caller);
      return Array.from({ length: CLERKS }, (_, index) => {
        const random = new Random(seed + number * CLERKS + index);
        return new Clerk(`${tenant}.${index}`, caller, firm, random);
      });
    });
    const clerks = (await Promise.all(hired)).flat();
    await Promise.all(clerks.map((clerk) => clerk.start()));

    const copies = await deployment.addressesOf('query');
    const clients = tenants.map((tenant) =>
      copies.map((reads) => new ApiClient(tenant, tokens.get(tenant)!, { writes: writes[0], reads })),
    );
    return new Firms(
      clerks,
      clients,
      clients.map((apis) => new Reader(apis, ledger, outages)),
      ledger,
    );
  }

  /** One client for each tenant, spread over the copies of query. */
  get askers(): ApiClient[] {
    return this.clients.map((apis, index) => apis[index % apis.length]);
  }

  /** Resolves when every tenant can read everything that was acknowledged until now, or the fight is lost. */
  async seen(lost: AbortSignal): Promise<void> {
    const seeing = this.askers.map(async (api) => {
      const { position } = this.ledger.least(api.tenant);
      const isSeen = async () =>
        (await api.get('workitems?pageSize=1', { 'X-Min-Position': position })).status === 200;
      const description = `${api.tenant} to see ${position}`;
      await waitFor(() => lost.aborted || isSeen(), { timeoutMs: LOADED_MS, description });
    });
    await Promise.all(seeing);
  }

  /**
   * Everybody works until there is enough. The readers continue until the last clerk has finished.
   * @param pace of all clerks together; without it they work at full speed
   */
  work(fight: Fight, enough: () => boolean, pace?: Pace): void {
    let written = false;
    const isOver = () => fight.lost.aborted || enough();
    const working = this.clerks.map((clerk) => clerk.workUntil(isOver, pace));
    fight.join(Promise.all(working).then(() => (written = true)));
    const looks = new Pace(LOOKS_PER_SECOND);
    for (let first = 0; first < WATCHERS; first++) {
      const mine = this.readers.filter((_, index) => index % WATCHERS === first);
      fight.join(watch(mine, () => fight.lost.aborted || written, looks));
    }
  }
}

/** Lets each reader look in turn. */
async function watch(readers: Reader[], over: () => boolean, pace: Pace): Promise<void> {
  while (!over())
    for (const reader of readers) {
      await reader.look();
      await pace.turn();
    }
}
