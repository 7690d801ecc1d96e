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
  ArchiveMatter,
  CloseMatter,
  DeleteMatter,
  OpenMatter,
  ReopenMatter,
  UpdateMatter,
} from './matter.commands';
import { MatterInput, MatterPatch } from './matter.input';
import { MattersQuery, matters } from './matter.queries';
import { MatterView, matterView } from './matter.view';

@ApiTags('matters')
@Controller(':tenant/api/v1/matters')
@Permission('matters:write')
export class MattersWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(MatterView)
  async create(@CurrentContext() context: RequestContext, @Body() body: MatterInput): Promise<Reply> {
    return created(
      context,
      'matters',
      await this.commands.execute(new OpenMatter(context, body)),
      matterView,
    );
  }

  @Patch(':id')
  @ApiUpdate(MatterView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('matter') id: Id,
    @Body() body: MatterPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateMatter(context, id, body)), matterView, prefer);
  }

  @Post(':id/close')
  @ApiAction(MatterView)
  async close(@CurrentContext() context: RequestContext, @IdParam('matter') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new CloseMatter(context, id)), matterView);
  }

  @Post(':id/reopen')
  @ApiAction(MatterView)
  async reopen(@CurrentContext() context: RequestContext, @IdParam('matter') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ReopenMatter(context, id)), matterView);
  }

  @Post(':id/archive')
  @ApiAction(MatterView)
  async archive(@CurrentContext() context: RequestContext, @IdParam('matter') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ArchiveMatter(context, id)), matterView);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('matter') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteMatter(context, id)));
  }
}

@ApiTags('matters')
@Controller(':tenant/api/v1/matters')
@Permission('matters:read')
export class MattersReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(MatterView)
  list(@CurrentContext() context: RequestContext, @Query() query: MattersQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, matters, query));
  }

  @Get(':id')
  @ApiOne(MatterView)
  one(@CurrentContext() context: RequestContext, @IdParam('matter') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, matters, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('matter') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
