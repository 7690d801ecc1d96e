import { Controller, Get } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiOne } from '../records/api';
import { GetTenant, TenantView } from './tenant.queries';

@ApiTags('tenants')
@Controller(':tenant/api/v1/tenants')
@Permission('tenants:read')
export class TenantsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOne(TenantView)
  current(@CurrentContext() context: RequestContext): Promise<Reply> {
    return this.queries.execute(new GetTenant(context));
  }
}
