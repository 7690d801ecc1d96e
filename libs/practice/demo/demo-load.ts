import { Injectable } from '@nestjs/common';
import { BulkAppender, type NewStream } from '#event-store/append/append-bulk';
import { Loader } from '#event-store/loader';
import { Clock } from '#kernel/clock';
import { Tenants } from '#platform/auth/tenants';
import { WriteDatabase } from '#platform/database';
import { markChargedRates } from '../tax-codes/tax-code.charged';
import { operatorContext } from '../tenants/tenant-setup';
import { DemoFirm } from './demo-firm';
import { type DemoOptions, sizeOf } from './demo-size';
import { loadStart } from './demo-start';

/** The result of a load. */
export interface DemoLoaded {
  tenant: string;
  feeEarners: number;
  clients: number;
  matters: number;
  items: number;
  invoices: number;
  streams: number;
  /** Events in those streams. */
  events: number;
  milliseconds: number;
}

const SOURCE = 'demo';
const TOLD_EVERY = 500;

/** Fills a tenant with an imaginary but plausible firm. */
@Injectable()
export class DemoLoad {
  constructor(
    private readonly tenants: Tenants,
    private readonly database: WriteDatabase,
    private readonly loader: Loader,
    private readonly bulk: BulkAppender,
    private readonly clock: Clock,
  ) {}

  /**
   * Writes a firm with years of work up to now, as if its people had entered it. The firm is made while it is written,
   * in constant memory. A load that fails leaves the chunks that were already written. They hold whole records, and
   * later numbers continue after theirs, but the items of some invoices may be missing. Nothing removes these records,
   * so another attempt needs another tenant.
   * @param progress is called with the number of work items so far
   * @throws DomainError `tenant_not_found`, `tenant_has_records`, `start_data_missing`, `invalid_size`
   */
  async load(
    alias: string,
    options: DemoOptions,
    progress: (items: number) => void = () => undefined,
  ): Promise<DemoLoaded> {
    const began = performance.now();
    const size = sizeOf(options);
    const tenant = await this.tenants.get(alias);
    const context = operatorContext(tenant);
    const start = await loadStart(this.database, this.loader, tenant);
    const firm = new DemoFirm(start, size, this.clock.now());
    const written = { streams: 0, events: 0 };
    await this.bulk.append(context, counted(firm.streams(), written, progress), SOURCE);
    await markChargedRates(this.loader, this.bulk, context, firm.charged, SOURCE);
    const milliseconds = Math.round(performance.now() - began);
    return { tenant: alias, ...firm.figures, ...written, milliseconds };
  }
}

/** Passes the streams on, counts them, and reports the number of work items. */
function* counted(
  streams: Iterable<NewStream>,
  written: { streams: number; events: number },
  progress: (items: number) => void,
): Generator<NewStream> {
  let items = 0;
  for (const stream of streams) {
    written.streams++;
    written.events += stream.events.length;
    if (stream.definition.kind === 'workitem' && ++items % TOLD_EVERY === 0) progress(items);
    yield stream;
  }
  progress(items);
}
