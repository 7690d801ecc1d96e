import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { created, removed, updated } from '../records/replies';
import { CopyRateSet, CreateRateSet, DeleteRateSet, UpdateRateSet } from './rate-set.commands';
import { RateSetCopyInput, RateSetInput, RateSetPatch } from './rate-set.input';
import { RateSetsQuery, RateSetView, rateSets, rateSetView } from './rate-set.queries';

@ApiTags('ratesets')
@Controller(':tenant/api/v1/ratesets')
@Permission('ratesets:write')
export class RateSetsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(RateSetView)
  async create(@CurrentContext() context: RequestContext, @Body() body: RateSetInput): Promise<Reply> {
    return created(
      context,
      'ratesets',
      await this.commands.execute(new CreateRateSet(context, body)),
      rateSetView,
    );
  }

  @Patch(':id')
  @ApiUpdate(RateSetView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('rateset') id: Id,
    @Body() body: RateSetPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateRateSet(context, id, body)), rateSetView, prefer);
  }

  @Post(':id/copy')
  @ApiCreate(RateSetView)
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The ETag of the version that you have read. The request is refused with 412 when the rate set has another ' +
      'version by now.',
  })
  async copy(
    @CurrentContext() context: RequestContext,
    @IdParam('rateset') id: Id,
    @Body() body: RateSetCopyInput,
  ): Promise<Reply> {
    return created(
      context,
      'ratesets',
      await this.commands.execute(new CopyRateSet(context, id, body)),
      rateSetView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('rateset') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRateSet(context, id)));
  }
}

@ApiTags('ratesets')
@Controller(':tenant/api/v1/ratesets')
@Permission('ratesets:read')
export class RateSetsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(RateSetView)
  list(@CurrentContext() context: RequestContext, @Query() query: RateSetsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, rateSets, query));
  }

  @Get(':id')
  @ApiOne(RateSetView)
  one(@CurrentContext() context: RequestContext, @IdParam('rateset') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, rateSets, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('rateset') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
