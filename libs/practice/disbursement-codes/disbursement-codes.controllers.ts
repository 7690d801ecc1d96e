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
import {
  DisbursementCodeInput,
  DisbursementCodePatch,
  disbursementCodeWriting,
} from './disbursement-code.commands';
import {
  DisbursementCodesQuery,
  DisbursementCodeView,
  disbursementCodes,
  disbursementCodeView,
} from './disbursement-code.queries';

@ApiTags('disbursementcodes')
@Controller(':tenant/api/v1/disbursementcodes')
@Permission('disbursementcodes:write')
export class DisbursementCodesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(DisbursementCodeView)
  async create(
    @CurrentContext() context: RequestContext,
    @Body() body: DisbursementCodeInput,
  ): Promise<Reply> {
    return created(
      context,
      'disbursementcodes',
      await this.commands.execute(new CreateRecord(context, disbursementCodeWriting, body)),
      disbursementCodeView,
    );
  }

  @Patch(':id')
  @ApiUpdate(DisbursementCodeView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('disbursementcode') id: Id,
    @Body() body: DisbursementCodePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, disbursementCodeWriting, id, body)),
      disbursementCodeView,
      prefer,
    );
  }

  @Post(':id/activate')
  @ApiAction(DisbursementCodeView)
  async activate(
    @CurrentContext() context: RequestContext,
    @IdParam('disbursementcode') id: Id,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new ActivateRecord(context, disbursementCodeWriting, id)),
      disbursementCodeView,
    );
  }

  @Post(':id/deactivate')
  @ApiAction(DisbursementCodeView)
  async deactivate(
    @CurrentContext() context: RequestContext,
    @IdParam('disbursementcode') id: Id,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new DeactivateRecord(context, disbursementCodeWriting, id)),
      disbursementCodeView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(
    @CurrentContext() context: RequestContext,
    @IdParam('disbursementcode') id: Id,
  ): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, disbursementCodeWriting, id)));
  }
}

@ApiTags('disbursementcodes')
@Controller(':tenant/api/v1/disbursementcodes')
@Permission('disbursementcodes:read')
export class DisbursementCodesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(DisbursementCodeView)
  list(@CurrentContext() context: RequestContext, @Query() query: DisbursementCodesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, disbursementCodes, query));
  }

  @Get(':id')
  @ApiOne(DisbursementCodeView)
  one(@CurrentContext() context: RequestContext, @IdParam('disbursementcode') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, disbursementCodes, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('disbursementcode') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
