import { definitions } from '#practice/areas';
import { createTestStore, type TestStore } from '../../../test/support/store';
import { makeFirm, type PropertyFirm } from './property-firm';
import { ReportsApplication } from './reports-application';

/** The firms of a seed, created on demand, and the reports over all of them. */
export class PropertyFirms {
  private readonly made = new Map<number, PropertyFirm>();

  private constructor(
    private readonly seed: number,
    private readonly store: TestStore,
    private readonly tenants: Record<string, number>,
    readonly reports: ReportsApplication,
  ) {}

  static async open(seed: number): Promise<PropertyFirms> {
    const store = await createTestStore(definitions);
    const tenants = {};
    // The store drops the database after the application has closed.
    const database = { url: store.url, drop: async () => undefined };
    const reports = await ReportsApplication.over(database, tenants);
    return new PropertyFirms(seed, store, tenants, reports);
  }

  async get(number: number): Promise<PropertyFirm> {
    const made = this.made.get(number) ?? (await makeFirm(this.store, this.seed, number));
    this.made.set(number, made);
    this.tenants[made.context.tenant.alias] = made.context.tenant.id;
    return made;
  }

  async close(): Promise<void> {
    await this.reports.stop();
    await this.store.close();
  }
}
