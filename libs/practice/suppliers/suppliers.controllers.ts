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
import { SupplierInput, SupplierPatch, supplierWriting } from './supplier.commands';
import { SuppliersQuery, SupplierView, suppliers, supplierView } from './supplier.queries';

@ApiTags('suppliers')
@Controller(':tenant/api/v1/suppliers')
@Permission('suppliers:write')
export class SuppliersWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(SupplierView)
  async create(@CurrentContext() context: RequestContext, @Body() body: SupplierInput): Promise<Reply> {
    return created(
      context,
      'suppliers',
      await this.commands.execute(new CreateRecord(context, supplierWriting, body)),
      supplierView,
    );
  }

  @Patch(':id')
  @ApiUpdate(SupplierView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('supplier') id: Id,
    @Body() body: SupplierPatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, supplierWriting, id, body)),
      supplierView,
      prefer,
    );
  }

  @Post(':id/activate')
  @ApiAction(SupplierView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('supplier') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ActivateRecord(context, supplierWriting, id)), supplierView);
  }

  @Post(':id/deactivate')
  @ApiAction(SupplierView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('supplier') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new DeactivateRecord(context, supplierWriting, id)),
      supplierView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('supplier') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, supplierWriting, id)));
  }
}

@ApiTags('suppliers')
@Controller(':tenant/api/v1/suppliers')
@Permission('suppliers:read')
export class SuppliersReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(SupplierView)
  list(@CurrentContext() context: RequestContext, @Query() query: SuppliersQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, suppliers, query));
  }

  @Get(':id')
  @ApiOne(SupplierView)
  one(@CurrentContext() context: RequestContext, @IdParam('supplier') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, suppliers, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('supplier') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
