import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { CreateRecord, UpdateRecord } from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { created, removed, updated } from '../records/replies';
import { DeleteRole, RoleInput, RolePatch, roleWriting } from './role.commands';
import { RolesQuery, RoleView, roles, roleView } from './role.queries';

@ApiTags('roles')
@Controller(':tenant/api/v1/roles')
@Permission('roles:write')
export class RolesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(RoleView)
  async create(@CurrentContext() context: RequestContext, @Body() body: RoleInput): Promise<Reply> {
    return created(
      context,
      'roles',
      await this.commands.execute(new CreateRecord(context, roleWriting, body)),
      roleView,
    );
  }

  @Patch(':id')
  @ApiUpdate(RoleView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('role') id: Id,
    @Body() body: RolePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, roleWriting, id, body)),
      roleView,
      prefer,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('role') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRole(context, id)));
  }
}

@ApiTags('roles')
@Controller(':tenant/api/v1/roles')
@Permission('roles:read')
export class RolesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(RoleView)
  list(@CurrentContext() context: RequestContext, @Query() query: RolesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, roles, query));
  }

  @Get(':id')
  @ApiOne(RoleView)
  one(@CurrentContext() context: RequestContext, @IdParam('role') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, roles, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('role') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
