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
  ActivateDivision,
  CreateDivision,
  DeactivateDivision,
  DeleteDivision,
  DivisionInput,
  DivisionPatch,
  UpdateDivision,
} from './division.commands';
import { DivisionsQuery, DivisionView, divisions, divisionView } from './division.queries';

@ApiTags('divisions')
@Controller(':tenant/api/v1/divisions')
@Permission('divisions:write')
export class DivisionsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(DivisionView)
  async create(@CurrentContext() context: RequestContext, @Body() body: DivisionInput): Promise<Reply> {
    return created(
      context,
      'divisions',
      await this.commands.execute(new CreateDivision(context, body)),
      divisionView,
    );
  }

  @Patch(':id')
  @ApiUpdate(DivisionView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('division') id: Id,
    @Body() body: DivisionPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateDivision(context, id, body)), divisionView, prefer);
  }

  @Post(':id/activate')
  @ApiAction(DivisionView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('division') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ActivateDivision(context, id)), divisionView);
  }

  @Post(':id/deactivate')
  @ApiAction(DivisionView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('division') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new DeactivateDivision(context, id)), divisionView);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('division') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteDivision(context, id)));
  }
}

@ApiTags('divisions')
@Controller(':tenant/api/v1/divisions')
@Permission('divisions:read')
export class DivisionsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(DivisionView)
  list(@CurrentContext() context: RequestContext, @Query() query: DivisionsQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, divisions, query));
  }

  @Get(':id')
  @ApiOne(DivisionView)
  one(@CurrentContext() context: RequestContext, @IdParam('division') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, divisions, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('division') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
