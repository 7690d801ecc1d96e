import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { DomainError } from '#kernel/errors';
import { toId } from '#kernel/ids';
import { ReadDatabase } from '#platform/database';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { live } from '#projections/live';
import { readUntil } from '../records/read-until';
import type { RecordList, RecordRow } from '../records/record-list';
import type { LastImport, TenantState } from './tenant';

class LastImportView implements LastImport {
  @ApiProperty({
    format: 'uuid',
    description: 'The id of the import, as `POST /etl/import` answered it.',
    example: '0198c2f1-a4b8-7c3d-9e5f-60718293a4b5',
  })
  requestId: string;

  @ApiProperty({
    description: 'The system that the rows came from, as the firm named it.',
    example: 'Ledger 4',
  })
  sourceSystem: string;

  @ApiProperty({
    format: 'date-time',
    description: 'When the records became visible in the tenant.',
    example: '2026-04-01T06:00:00.000Z',
  })
  promotedAt: string;

  @ApiProperty({
    type: 'integer',
    description: 'How many records the import created in the tenant.',
    example: 1200,
  })
  created: number;

  @ApiProperty({
    type: 'integer',
    description: 'How many records of earlier imports the import changed.',
    example: 3,
  })
  changed: number;
}

export class TenantView {
  @ApiProperty({ example: 'tenant_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty({ description: 'The name of the tenant in addresses.' })
  alias: string;

  @ApiProperty()
  firmName: string;

  @ApiProperty({ enum: ['uk', 'au'], description: 'The region whose defaults the tenant started with.' })
  region: string;

  @ApiProperty({ description: 'The base currency (ISO 4217).' })
  currency: string;

  @ApiProperty({ description: 'The name of the time zone in the IANA database. Days are days in this zone.' })
  timeZone: string;

  @ApiProperty({
    enum: ['VAT', 'GST'],
    description: 'The tax of the region. A new tax code that is given no scheme has this one.',
  })
  taxScheme: string;

  @ApiProperty({ type: 'integer', description: 'Month in which the financial year begins' })
  financialYearStart: number;

  @ApiProperty({
    description: 'The length of a unit, in minutes, where neither the matter nor the client has its own.',
  })
  minutesPerUnit: number;

  @ApiProperty({
    enum: ['Up', 'Nearest', 'Down'],
    description: 'How the units of timed work are rounded to whole units.',
  })
  unitRounding: string;

  @ApiProperty({
    description:
      'Whether new work items and cost recoveries are Finalised at once. Otherwise they are Pending.',
  })
  autoFinaliseWorkItems: boolean;

  @ApiProperty({
    type: LastImportView,
    nullable: true,
    description: 'The last import that was promoted. All of its records are visible. Null if there was none.',
  })
  lastImport: LastImport | null;
}

/** The part of the tenant's view that comes from its stream. */
type Told = Omit<TenantView, 'alias'>;

function told(streamId: string, state: TenantState): Told {
  const { isDeleted: _deleted, externalReference: _reference, referenceOwner: _owner, ...settings } = state;
  return {
    id: toId('tenant', streamId),
    ...settings,
    minutesPerUnit: Number(settings.minutesPerUnit),
    // Missing in rows that an earlier version has written, until they are rebuilt.
    lastImport: settings.lastImport ?? null,
  };
}

/** The tenant as a record, for webhooks and the feed of events. It is never listed. */
export const tenants: RecordList<never, Told> = {
  kind: 'tenant',
  projection: 'tenants',
  sorts: { id: 'r.id' },
  order: 'id',
  view: ({ id, state }: RecordRow) => told(id, state),
};

/** How long a request for a tenant that was just created waits for its settings to be readable. */
const NEW_TENANT_MS = 1_000;

export class GetTenant {
  constructor(readonly context: RequestContext) {}
}

/** Reads the tenant of the address. Existing clients use this as a connection test. */
@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly reads: ReadDatabase) {}

  async execute({ context: { tenant } }: GetTenant): Promise<Reply> {
    const state = await readUntil(
      () => this.state(tenant.id),
      (found) => found !== undefined,
      NEW_TENANT_MS,
    );
    if (!state) {
      const later = { 'Retry-After': '1' };
      throw new DomainError(
        'unavailable',
        'not_yet_visible',
        'The tenant has only just been created; try again.',
        [],
        later,
      );
    }
    const { id, ...settings } = told(tenant.streamId, state);
    const view: TenantView = { id, alias: tenant.alias, ...settings };
    return data(view);
  }

  private async state(tenantId: number): Promise<TenantState | undefined> {
    const { rows } = await this.reads.pool.query<{ state: TenantState }>(
      `select t.state from read_model.tenants t where ${live('tenants', 't', '$1')}`,
      [tenantId],
    );
    return rows[0]?.state;
  }
}
