import { setTimeout as delay } from 'node:timers/promises';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { ApiProperty } from '@nestjs/swagger';
import { DomainError } from '#kernel/errors';
import { toId } from '#kernel/ids';
import { ReadDatabase } from '#platform/database';
import { data, type Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { live } from '#projections/live';
import type { TenantState } from './tenant';

export class TenantView {
  @ApiProperty({ example: 'tenant_0198c2f1a4b87c3d9e5f60718293a4b5' })
  id: string;

  @ApiProperty()
  alias: string;

  @ApiProperty()
  firmName: string;

  @ApiProperty({ enum: ['uk', 'au'] })
  region: string;

  @ApiProperty({ description: 'Base currency' })
  currency: string;

  @ApiProperty()
  timeZone: string;

  @ApiProperty({ enum: ['VAT', 'GST'] })
  taxScheme: string;

  @ApiProperty({ description: 'Month in which the financial year begins' })
  financialYearStart: number;

  @ApiProperty()
  minutesPerUnit: number;

  @ApiProperty({ enum: ['Up', 'Nearest', 'Down'] })
  unitRounding: string;

  @ApiProperty()
  autoFinaliseWorkItems: boolean;
}

/** How long a request for a tenant that was made this moment waits for its settings to show. */
const NEW_TENANT_MS = 1_000;
const POLL_MS = 4;

export class GetTenant {
  constructor(readonly context: RequestContext) {}
}

/** The tenant of the address: what existing clients ask for as a connection test. */
@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly reads: ReadDatabase) {}

  async execute({ context: { tenant } }: GetTenant): Promise<Reply> {
    let state = await this.state(tenant.id);
    for (
      const end = Date.now() + NEW_TENANT_MS;
      !state && Date.now() < end;
      state = await this.state(tenant.id)
    ) {
      await delay(POLL_MS);
    }
    if (!state) {
      const later = { 'Retry-After': '1' };
      throw new DomainError(
        'unavailable',
        'not_yet_visible',
        'The tenant was made this moment; try again.',
        [],
        later,
      );
    }
    const { isDeleted: _deleted, externalReference: _reference, referenceOwner: _owner, ...settings } = state;
    const view: TenantView = {
      id: toId('tenant', tenant.streamId),
      alias: tenant.alias,
      ...settings,
      minutesPerUnit: Number(settings.minutesPerUnit),
    };
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
