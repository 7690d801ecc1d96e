import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiExtension, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { DeleteRecord } from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { created, removed, updated } from '../records/replies';
import {
  applicableRateWriting,
  CreateApplicableRate,
  UpdateApplicableRate,
} from './applicable-rate.commands';
import { ApplicableRateInput, ApplicableRatePatch } from './applicable-rate.input';
import {
  ApplicableRatesQuery,
  ApplicableRateView,
  applicableRates,
  applicableRateView,
} from './applicable-rate.queries';
import { RateToResolve, ResolvedRateView, ResolveRate } from './resolve-rate.query';

@ApiTags('applicablerates')
@Controller(':tenant/api/v1/applicablerates')
@Permission('applicablerates:write')
export class ApplicableRatesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(ApplicableRateView)
  async create(@CurrentContext() context: RequestContext, @Body() body: ApplicableRateInput): Promise<Reply> {
    return created(
      context,
      'applicablerates',
      await this.commands.execute(new CreateApplicableRate(context, body)),
      applicableRateView,
    );
  }

  @Patch(':id')
  @ApiUpdate(ApplicableRateView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('applicablerate') id: Id,
    @Body() body: ApplicableRatePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateApplicableRate(context, id, body)),
      applicableRateView,
      prefer,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('applicablerate') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, applicableRateWriting, id)));
  }
}

@ApiTags('applicablerates')
@Controller(':tenant/api/v1/applicablerates')
@Permission('applicablerates:read')
export class ApplicableRatesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(ApplicableRateView)
  list(@CurrentContext() context: RequestContext, @Query() query: ApplicableRatesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, applicableRates, query));
  }

  @Get('resolve')
  @ApiExtension('x-refusals', [422])
  @ApiOne(ResolvedRateView)
  resolve(@CurrentContext() context: RequestContext, @Query() query: RateToResolve): Promise<Reply> {
    return this.queries.execute(new ResolveRate(context, query));
  }

  @Get(':id')
  @ApiOne(ApplicableRateView)
  one(@CurrentContext() context: RequestContext, @IdParam('applicablerate') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, applicableRates, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('applicablerate') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
