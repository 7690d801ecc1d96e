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
  @ApiProperty()
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

export class GetTenant {
  constructor(readonly context: RequestContext) {}
}

/** The tenant of the address: what existing clients ask for as a connection test. */
@QueryHandler(GetTenant)
export class GetTenantHandler implements IQueryHandler<GetTenant> {
  constructor(private readonly reads: ReadDatabase) {}

  async execute({ context: { tenant } }: GetTenant): Promise<Reply> {
    const { rows } = await this.reads.pool.query<{ id: string; state: TenantState }>(
      `select t.id, t.state from read_model.tenants t where ${live('tenants', 't', '$1')}`,
      [tenant.id],
    );
    if (rows.length === 0) {
      const later = { 'Retry-After': '1' };
      throw new DomainError(
        'unavailable',
        'not_yet_visible',
        'The tenant was made this moment; try again.',
        [],
        later,
      );
    }
    const {
      isDeleted: _deleted,
      externalReference: _reference,
      referenceOwner: _owner,
      ...settings
    } = rows[0].state;
    const view: TenantView = {
      id: toId('tenant', tenant.streamId),
      alias: tenant.alias,
      ...settings,
      minutesPerUnit: Number(settings.minutesPerUnit),
    };
    return data(view);
  }
}
