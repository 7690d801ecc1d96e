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
import { TaskTypeInput, TaskTypePatch, taskTypeWriting } from './task-type.commands';
import { TaskTypesQuery, TaskTypeView, taskTypes, taskTypeView } from './task-type.queries';

@ApiTags('tasktypes')
@Controller(':tenant/api/v1/tasktypes')
@Permission('tasktypes:write')
export class TaskTypesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(TaskTypeView)
  async create(@CurrentContext() context: RequestContext, @Body() body: TaskTypeInput): Promise<Reply> {
    return created(
      context,
      'tasktypes',
      await this.commands.execute(new CreateRecord(context, taskTypeWriting, body)),
      taskTypeView,
    );
  }

  @Patch(':id')
  @ApiUpdate(TaskTypeView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('tasktype') id: Id,
    @Body() body: TaskTypePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, taskTypeWriting, id, body)),
      taskTypeView,
      prefer,
    );
  }

  @Post(':id/activate')
  @ApiAction(TaskTypeView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('tasktype') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ActivateRecord(context, taskTypeWriting, id)), taskTypeView);
  }

  @Post(':id/deactivate')
  @ApiAction(TaskTypeView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('tasktype') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new DeactivateRecord(context, taskTypeWriting, id)),
      taskTypeView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('tasktype') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, taskTypeWriting, id)));
  }
}

@ApiTags('tasktypes')
@Controller(':tenant/api/v1/tasktypes')
@Permission('tasktypes:read')
export class TaskTypesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(TaskTypeView)
  list(@CurrentContext() context: RequestContext, @Query() query: TaskTypesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, taskTypes, query));
  }

  @Get(':id')
  @ApiOne(TaskTypeView)
  one(@CurrentContext() context: RequestContext, @IdParam('tasktype') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, taskTypes, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('tasktype') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
