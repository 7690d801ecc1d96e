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
import {
  ActivateRecord,
  CreateRecord,
  DeactivateRecord,
  DeleteRecord,
  UpdateRecord,
} from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { acted, created, removed, updated } from '../records/replies';
import { MatterTypeInput, MatterTypePatch, matterTypeWriting } from './matter-type.commands';
import { MatterTypesQuery, MatterTypeView, matterTypes, matterTypeView } from './matter-type.queries';

@ApiTags('mattertypes')
@Controller(':tenant/api/v1/mattertypes')
@Permission('mattertypes:write')
export class MatterTypesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(MatterTypeView)
  async create(@CurrentContext() context: RequestContext, @Body() body: MatterTypeInput): Promise<Reply> {
    return created(
      context,
      'mattertypes',
      await this.commands.execute(new CreateRecord(context, matterTypeWriting, body)),
      matterTypeView,
    );
  }

  @Patch(':id')
  @ApiUpdate(MatterTypeView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('mattertype') id: Id,
    @Body() body: MatterTypePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, matterTypeWriting, id, body)),
      matterTypeView,
      prefer,
    );
  }

  @Post(':id/activate')
  @ApiAction(MatterTypeView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('mattertype') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new ActivateRecord(context, matterTypeWriting, id)),
      matterTypeView,
    );
  }

  @Post(':id/deactivate')
  @ApiAction(MatterTypeView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('mattertype') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new DeactivateRecord(context, matterTypeWriting, id)),
      matterTypeView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('mattertype') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, matterTypeWriting, id)));
  }
}

@ApiTags('mattertypes')
@Controller(':tenant/api/v1/mattertypes')
@Permission('mattertypes:read')
export class MatterTypesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(MatterTypeView)
  list(@CurrentContext() context: RequestContext, @Query() query: MatterTypesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, matterTypes, query));
  }

  @Get(':id')
  @ApiOne(MatterTypeView)
  one(@CurrentContext() context: RequestContext, @IdParam('mattertype') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, matterTypes, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('mattertype') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
