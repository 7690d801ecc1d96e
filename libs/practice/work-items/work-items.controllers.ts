import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import {
  DeleteBillable,
  FinaliseBillable,
  ReinstateBillable,
  UnfinaliseBillable,
  WriteOffBillable,
} from '../billable/billable.commands';
import { FinaliseBillables, OutcomeView } from '../billable/billable.finalise-many';
import { reinstating, WriteOffInput } from '../billable/billable.input';
import {
  ApiAction,
  ApiCreate,
  ApiHistory,
  ApiOne,
  ApiOutcomes,
  ApiPage,
  ApiRemove,
  ApiUpdate,
} from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { acted, created, outcomes, removed, updated } from '../records/replies';
import { WorkItem } from './work-item';
import { RecordWorkItem, UpdateWorkItem } from './work-item.commands';
import { FinaliseInput, WorkItemInput, WorkItemPatch } from './work-item.input';
import { WorkItemsQuery, WorkItemView, workItems, workItemView } from './work-item.queries';

@ApiTags('workitems')
@Controller(':tenant/api/v1/workitems')
@Permission('workitems:write')
export class WorkItemsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(WorkItemView)
  async create(@CurrentContext() context: RequestContext, @Body() body: WorkItemInput): Promise<Reply> {
    return created(
      context,
      'workitems',
      await this.commands.execute(new RecordWorkItem(context, body)),
      workItemView,
    );
  }

  @Patch(':id')
  @ApiUpdate(WorkItemView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('workitem') id: Id,
    @Body() body: WorkItemPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateWorkItem(context, id, body)), workItemView, prefer);
  }

  @Post('finalise')
  @ApiOutcomes(OutcomeView)
  async finaliseMany(@CurrentContext() context: RequestContext, @Body() body: FinaliseInput): Promise<Reply> {
    return outcomes(await this.commands.execute(new FinaliseBillables(context, WorkItem, body.ids)));
  }

  @Post(':id/finalise')
  @ApiAction(WorkItemView)
  async finalise(@CurrentContext() context: RequestContext, @IdParam('workitem') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new FinaliseBillable(context, WorkItem, id)), workItemView);
  }

  @Post(':id/unfinalise')
  @ApiAction(WorkItemView)
  async unfinalise(@CurrentContext() context: RequestContext, @IdParam('workitem') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new UnfinaliseBillable(context, WorkItem, id)), workItemView);
  }

  @Post(':id/writeoff')
  @ApiAction(WorkItemView)
  async writeOff(
    @CurrentContext() context: RequestContext,
    @IdParam('workitem') id: Id,
    @Body() body: WriteOffInput,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new WriteOffBillable(context, WorkItem, id, body)),
      workItemView,
    );
  }

  @Post(':id/reinstate')
  @ApiOperation(reinstating)
  @ApiAction(WorkItemView)
  async reinstate(@CurrentContext() context: RequestContext, @IdParam('workitem') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ReinstateBillable(context, WorkItem, id)), workItemView);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('workitem') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteBillable(context, WorkItem, id)));
  }
}

@ApiTags('workitems')
@Controller(':tenant/api/v1/workitems')
@Permission('workitems:read')
export class WorkItemsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(WorkItemView)
  list(@CurrentContext() context: RequestContext, @Query() query: WorkItemsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, workItems, query));
  }

  @Get(':id')
  @ApiOne(WorkItemView)
  one(@CurrentContext() context: RequestContext, @IdParam('workitem') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, workItems, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('workitem') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
