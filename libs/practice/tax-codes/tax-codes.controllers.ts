import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiCreate, ApiHistory, ApiOne, ApiPage, ApiRemove, ApiUpdate } from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { CreateRecord, DeleteRecord, UpdateRecord } from '../records/records.commands';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { created, removed, updated } from '../records/replies';
import { TaxCodeInput, TaxCodePatch, taxCodeWriting } from './tax-code.commands';
import { TaxCodesQuery, TaxCodeView, taxCodes, taxCodeView } from './tax-code.queries';

@ApiTags('taxcodes')
@Controller(':tenant/api/v1/taxcodes')
@Permission('taxcodes:write')
export class TaxCodesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(TaxCodeView)
  async create(@CurrentContext() context: RequestContext, @Body() body: TaxCodeInput): Promise<Reply> {
    return created(
      context,
      'taxcodes',
      await this.commands.execute(new CreateRecord(context, taxCodeWriting, body)),
      taxCodeView,
    );
  }

  @Patch(':id')
  @ApiUpdate(TaxCodeView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('taxcode') id: Id,
    @Body() body: TaxCodePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, taxCodeWriting, id, body)),
      taxCodeView,
      prefer,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('taxcode') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, taxCodeWriting, id)));
  }
}

@ApiTags('taxcodes')
@Controller(':tenant/api/v1/taxcodes')
@Permission('taxcodes:read')
export class TaxCodesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(TaxCodeView)
  list(@CurrentContext() context: RequestContext, @Query() query: TaxCodesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, taxCodes, query));
  }

  @Get(':id')
  @ApiOne(TaxCodeView)
  one(@CurrentContext() context: RequestContext, @IdParam('taxcode') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, taxCodes, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('taxcode') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
