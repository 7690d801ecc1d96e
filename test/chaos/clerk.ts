import type { Caller } from './caller';
import { REFUSED } from './caller';
import type { Known } from './ledger';
import type { Pace } from './pace';
import type { Random } from './random';

/** Records that all clerks of a tenant use. */
export interface Firm {
  division: Known;
  /** A client that was never activated. */
  inactive: Known;
}

const HOUR = 36_000_000_000;
const UNKNOWN = '0'.repeat(32);

/** Creates the records that all clerks of a tenant use. */
export async function openFirm(caller: Caller): Promise<Firm> {
  const division = await caller.create('divisions', { name: 'Chaos' });
  const entity = await caller.create('entities', { entityType: 'Organisation', name: 'Sleepers' });
  return { division, inactive: await caller.create('clients', { entityId: entity.id }) };
}

/** Writes one record after another. Nobody else changes a clerk's records. */
export class Clerk {
  private employee!: Known;
  private readonly clients: Known[] = [];
  private readonly matters: Known[] = [];
  private readonly items: Known[] = [];
  private said = 0;
  private readonly duties: [number, () => Promise<unknown>][] = [
    [60, () => this.work()],
    [5, () => this.correct()],
    [6, () => this.rename()],
    [2, () => this.openMatter()],
    [2, () => this.retitleMatter()],
    [1, () => this.openClient()],
    [3, () => this.forgetPerson()],
    [2, () => this.forgetWork()],
    [2, () => this.finaliseTogether()],
    [8, () => this.blunder()],
  ];

  constructor(
    private readonly name: string,
    private readonly caller: Caller,
    private readonly firm: Firm,
    private readonly random: Random,
  ) {}

  async start(): Promise<void> {
    const person = await this.person();
    this.employee = await this.caller.create('employees', { entityId: person.id });
    await this.openClient();
    await this.openMatter();
    await this.work();
  }

  /** @param pace limits the rate of duties; without it the clerk works at full speed */
  async workUntil(over: () => boolean, pace?: Pace): Promise<void> {
    const all = this.duties.reduce((sum, [weight]) => sum + weight, 0);
    while (!over()) {
      let drawn = this.random.below(all);
      const [, duty] = this.duties.find(([weight]) => (drawn -= weight) < 0)!;
      await duty();
      await pace?.turn();
    }
  }

  private text(what: string): string {
    return `${what} ${this.name} ${++this.said}`;
  }

  private person(): Promise<Known> {
    const lastName = this.text('Person');
    return this.caller.create('entities', { entityType: 'Individual', lastName, firstName: 'Ada' });
  }

  private async openClient(): Promise<void> {
    const client = await this.caller.create('clients', { entityId: (await this.person()).id });
    this.clients.push(await this.caller.act(client, 'activate'));
  }

  private async openMatter(): Promise<void> {
    const body = { clientId: this.random.pick(this.clients).id, divisionId: this.firm.division.id };
    this.matters.push(await this.caller.create('matters', { ...body, title: this.text('Matter') }));
  }

  private async retitleMatter(): Promise<void> {
    await this.change(this.matters, (matter) => this.caller.patch(matter, { title: this.text('Case') }));
  }

  /** Creates a work item, which makes two events, because tenants finalise work at once by default. */
  private async work(fields: object = {}): Promise<Known> {
    const item = await this.caller.create('workitems', this.hour(fields));
    if (!('entryDate' in fields)) this.items.push(item);
    return item;
  }

  private hour(fields: object): object {
    return {
      matterId: this.random.pick(this.matters).id,
      employeeId: this.employee.id,
      itemType: 0,
      entryDate: `2025-06-${10 + this.random.below(20)}T10:00:00Z`,
      durationTicks: HOUR,
      units: 1 + this.random.below(10),
      rate: { Amount: 250, Currency: 'GBP' },
      title: this.text('Work'),
      ...fields,
    };
  }

  /** Makes an item larger, never smaller, because readers expect sums that only grow. */
  private async correct(): Promise<void> {
    await this.change(this.items, async (item) => {
      const pending = await this.caller.act(item, 'unfinalise');
      const larger = await this.caller.patch(pending, { units: pending.view.units + 1 });
      return this.caller.act(larger, 'finalise');
    });
  }

  private async rename(): Promise<void> {
    await this.change(this.items, (item) => this.caller.patch(item, { title: this.text('Renamed') }));
  }

  private async finaliseTogether(): Promise<void> {
    const taken = this.items.splice(0, 3);
    const pending = [];
    for (const item of taken) pending.push(await this.caller.act(item, 'unfinalise'));
    this.items.push(...(await this.caller.finalise(pending)));
  }

  private async forgetPerson(): Promise<void> {
    await this.caller.remove(await this.person());
  }

  /** Creates and deletes work of another year, which no reader counts. */
  private async forgetWork(): Promise<void> {
    const item = await this.work({ entryDate: '2024-02-29T10:00:00Z' });
    await this.caller.remove(await this.caller.act(item, 'unfinalise'));
  }

  /** Makes a random request that must be refused and leave no trace. */
  private async blunder(): Promise<void> {
    const title = `${REFUSED} ${this.text('blunder')}`;
    const matter = this.random.pick(this.matters);
    const item = this.random.pick(this.items);
    const divisionId = this.firm.division.id;
    const sleeping = { clientId: this.firm.inactive.id, divisionId, title };
    const nobody = this.hour({ employeeId: `employee_${UNKNOWN}`, title });
    const stale = { body: { title }, headers: { 'If-Match': `"${matter.version + 1}"` } };
    const blunders: Parameters<Caller['refused']>[] = [
      ['POST', 'matters', { body: sleeping }, 422, 'client_not_active'],
      ['POST', 'workitems', { body: nobody }, 422, 'employee_not_found'],
      ['PATCH', `matters/${matter.id}`, stale, 412, 'version_mismatch'],
      ['POST', 'workitems', { body: `{"title": "${title}", ` }, 400, 'malformed_json'],
      ['DELETE', `workitems/${item.id}`, {}, 409, 'finalised'],
    ];
    await this.caller.refused(...this.random.pick(blunders));
  }

  private async change(records: Known[], change: (record: Known) => Promise<Known>): Promise<void> {
    const index = this.random.below(records.length);
    records[index] = await change(records[index]);
  }
}
