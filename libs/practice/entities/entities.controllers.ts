import { Body, Controller, Delete, Get, Headers, Patch, Post, Query, Req } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiAction, ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { GetHistory, GetRecord } from '../records/records.queries';
import { acted, created, removed, updated } from '../records/replies';
import { AnonymiseEntity } from './entity.anonymise';
import { CreateEntity, DeleteEntity, UpdateEntity } from './entity.commands';
import { ApiExport, ExportEntity } from './entity.export';
import { EntityInput, EntityPatch } from './entity.input';
import { EntitiesQuery, EntityView, entities, entityView } from './entity.queries';
import { ListEntities } from './entity.role-queries';

@ApiTags('entities')
@Controller(':tenant/api/v1/entities')
@Permission('entities:write')
export class EntitiesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(EntityView)
  async create(@CurrentContext() context: RequestContext, @Body() body: EntityInput): Promise<Reply> {
    return created(
      context,
      'entities',
      await this.commands.execute(new CreateEntity(context, body)),
      entityView,
    );
  }

  @Patch(':id')
  @ApiUpdate(EntityView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @Body() body: EntityPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateEntity(context, id, body)), entityView, prefer);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('entity') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteEntity(context, id)));
  }

  @Post(':id/anonymise')
  @ApiOperation({
    description:
      'Erases the personal data for good. The record stays, and so do all figures. Refused with 409 while the entity ' +
      'is the client of an open matter.',
  })
  @ApiAction(EntityView)
  async anonymise(@CurrentContext() context: RequestContext, @IdParam('entity') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new AnonymiseEntity(context, id)), entityView);
  }

  /** Belongs to the write controller, because the export records an event. */
  @Get(':id/export')
  @Permission('entities:export')
  @ApiExport()
  export(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @Req() { method }: FastifyRequest,
  ): Promise<Reply> {
    return this.commands.execute(new ExportEntity(context, id, method === 'HEAD'));
  }
}

@ApiTags('entities')
@Controller(':tenant/api/v1/entities')
@Permission('entities:read')
export class EntitiesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(EntityView)
  list(@CurrentContext() context: RequestContext, @Query() query: EntitiesQuery): Promise<Reply> {
    return this.queries.execute(new ListEntities(context, query));
  }

  @Get(':id')
  @ApiOne(EntityView)
  one(@CurrentContext() context: RequestContext, @IdParam('entity') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, entities, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
