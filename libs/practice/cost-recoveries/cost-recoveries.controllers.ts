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
import { CostRecovery } from './cost-recovery';
import { RecordCostRecovery, UpdateCostRecovery } from './cost-recovery.commands';
import { CostRecoveryInput, CostRecoveryPatch, FinaliseCostRecoveriesInput } from './cost-recovery.input';
import {
  CostRecoveriesQuery,
  CostRecoveryView,
  costRecoveries,
  costRecoveryView,
} from './cost-recovery.queries';

@ApiTags('costrecoveries')
@Controller(':tenant/api/v1/costrecoveries')
@Permission('costrecoveries:write')
export class CostRecoveriesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(CostRecoveryView)
  async create(@CurrentContext() context: RequestContext, @Body() body: CostRecoveryInput): Promise<Reply> {
    return created(
      context,
      'costrecoveries',
      await this.commands.execute(new RecordCostRecovery(context, body)),
      costRecoveryView,
    );
  }

  @Patch(':id')
  @ApiUpdate(CostRecoveryView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('costrecovery') id: Id,
    @Body() body: CostRecoveryPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateCostRecovery(context, id, body)),
      costRecoveryView,
      prefer,
    );
  }

  @Post('finalise')
  @ApiOutcomes(OutcomeView)
  async finaliseMany(
    @CurrentContext() context: RequestContext,
    @Body() body: FinaliseCostRecoveriesInput,
  ): Promise<Reply> {
    return outcomes(await this.commands.execute(new FinaliseBillables(context, CostRecovery, body.ids)));
  }

  @Post(':id/finalise')
  @ApiAction(CostRecoveryView)
  async finalise(@CurrentContext() context: RequestContext, @IdParam('costrecovery') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new FinaliseBillable(context, CostRecovery, id)),
      costRecoveryView,
    );
  }

  @Post(':id/unfinalise')
  @ApiAction(CostRecoveryView)
  async unfinalise(
    @CurrentContext() context: RequestContext,
    @IdParam('costrecovery') id: Id,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new UnfinaliseBillable(context, CostRecovery, id)),
      costRecoveryView,
    );
  }

  @Post(':id/writeoff')
  @ApiAction(CostRecoveryView)
  async writeOff(
    @CurrentContext() context: RequestContext,
    @IdParam('costrecovery') id: Id,
    @Body() body: WriteOffInput,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new WriteOffBillable(context, CostRecovery, id, body)),
      costRecoveryView,
    );
  }

  @Post(':id/reinstate')
  @ApiOperation(reinstating)
  @ApiAction(CostRecoveryView)
  async reinstate(
    @CurrentContext() context: RequestContext,
    @IdParam('costrecovery') id: Id,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new ReinstateBillable(context, CostRecovery, id)),
      costRecoveryView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('costrecovery') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteBillable(context, CostRecovery, id)));
  }
}

@ApiTags('costrecoveries')
@Controller(':tenant/api/v1/costrecoveries')
@Permission('costrecoveries:read')
export class CostRecoveriesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(CostRecoveryView)
  list(@CurrentContext() context: RequestContext, @Query() query: CostRecoveriesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, costRecoveries, query));
  }

  @Get(':id')
  @ApiOne(CostRecoveryView)
  one(@CurrentContext() context: RequestContext, @IdParam('costrecovery') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, costRecoveries, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('costrecovery') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
