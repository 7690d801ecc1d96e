import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiAction, ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { acted, created, removed, updated } from '../records/replies';
import {
  ActivateClient,
  CreateClient,
  DeactivateClient,
  DeleteClient,
  UpdateClient,
} from './client.commands';
import { ClientInput, ClientPatch } from './client.input';
import { ClientsQuery, ClientView, clients, clientView } from './client.queries';

@ApiTags('clients')
@Controller(':tenant/api/v1/clients')
@Permission('clients:write')
export class ClientsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(ClientView)
  async create(@CurrentContext() context: RequestContext, @Body() body: ClientInput): Promise<Reply> {
    return created(
      context,
      'clients',
      await this.commands.execute(new CreateClient(context, body)),
      clientView,
    );
  }

  @Patch(':id')
  @ApiUpdate(ClientView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('client') id: Id,
    @Body() body: ClientPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateClient(context, id, body)), clientView, prefer);
  }

  @Post(':id/activate')
  @ApiAction(ClientView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('client') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ActivateClient(context, id)), clientView);
  }

  @Post(':id/deactivate')
  @ApiAction(ClientView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('client') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new DeactivateClient(context, id)), clientView);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('client') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteClient(context, id)));
  }
}

@ApiTags('clients')
@Controller(':tenant/api/v1/clients')
@Permission('clients:read')
export class ClientsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(ClientView)
  list(@CurrentContext() context: RequestContext, @Query() query: ClientsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, clients, query));
  }

  @Get(':id')
  @ApiOne(ClientView)
  one(@CurrentContext() context: RequestContext, @IdParam('client') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, clients, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('client') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
