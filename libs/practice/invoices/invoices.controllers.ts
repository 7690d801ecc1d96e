import { Body, Controller, Delete, Get, Headers, Patch, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiExtension, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam, NumberParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import {
  ApiAction,
  ApiCreate,
  ApiHistory,
  ApiOne,
  ApiPage,
  ApiRemove,
  ApiText,
  ApiUpdate,
} from '../records/api';
import { HistoryQuery } from '../records/history-query';
import { GetHistory, GetRecord, ListRecords } from '../records/records.queries';
import { acted, created, removed, updated } from '../records/replies';
import {
  IssueInvoice,
  PayInvoice,
  ReverseInvoicePayment,
  UnissueInvoice,
  VoidInvoice,
  WriteOffInvoice,
} from './invoice.commands';
import {
  AddInvoiceLines,
  CreateInvoice,
  DeleteInvoice,
  RemoveInvoiceLine,
  UpdateInvoice,
} from './invoice.draft.commands';
import {
  BadDebtInput,
  InvoiceInput,
  InvoicePatch,
  IssueInput,
  LinesInput,
  PaymentInput,
  PaymentReversalInput,
  ReversalInput,
} from './invoice.input';
import { InvoicesQuery, InvoiceView, invoices, invoiceView } from './invoice.queries';
import { ExportLedes } from './ledes.query';

@ApiTags('invoices')
@Controller(':tenant/api/v1/invoices')
@Permission('invoices:write')
export class InvoicesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(InvoiceView)
  async create(@CurrentContext() context: RequestContext, @Body() body: InvoiceInput): Promise<Reply> {
    return created(
      context,
      'invoices',
      await this.commands.execute(new CreateInvoice(context, body)),
      invoiceView,
    );
  }

  @Patch(':id')
  @ApiUpdate(InvoiceView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: InvoicePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(await this.commands.execute(new UpdateInvoice(context, id, body)), invoiceView, prefer);
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('invoice') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteInvoice(context, id)));
  }

  @Post(':id/lines')
  @ApiAction(InvoiceView)
  async addLinesTo(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: LinesInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new AddInvoiceLines(context, id, body)), invoiceView);
  }

  @Delete(':id/lines/:lineId')
  @ApiRemove()
  async removeLineFrom(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @NumberParam('lineId', 'line') lineId: number,
  ): Promise<Reply> {
    return removed(await this.commands.execute(new RemoveInvoiceLine(context, id, lineId)));
  }
}

@ApiTags('invoices')
@Controller(':tenant/api/v1/invoices')
@Permission('invoices:write')
export class InvoicesController {
  constructor(private readonly commands: CommandBus) {}

  @Post(':id/issue')
  @ApiAction(InvoiceView)
  async issue(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: IssueInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new IssueInvoice(context, id, body)), invoiceView);
  }

  @Post(':id/unissue')
  @ApiAction(InvoiceView)
  async unissue(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: ReversalInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new UnissueInvoice(context, id, body)), invoiceView);
  }

  @Post(':id/void')
  @ApiAction(InvoiceView)
  async void(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: ReversalInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new VoidInvoice(context, id, body)), invoiceView);
  }

  @Post(':id/pay')
  @ApiAction(InvoiceView)
  async pay(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: PaymentInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new PayInvoice(context, id, body)), invoiceView);
  }

  @Post(':id/payments/:paymentId/reverse')
  @ApiAction(InvoiceView)
  async reversePaymentOf(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @NumberParam('paymentId', 'payment') paymentId: number,
    @Body() body: PaymentReversalInput,
  ): Promise<Reply> {
    return acted(
      await this.commands.execute(new ReverseInvoicePayment(context, id, paymentId, body)),
      invoiceView,
    );
  }

  @Post(':id/writeoff')
  @ApiAction(InvoiceView)
  async writeOff(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Body() body: BadDebtInput,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new WriteOffInvoice(context, id, body)), invoiceView);
  }
}

@ApiTags('invoices')
@Controller(':tenant/api/v1/invoices')
@Permission('invoices:read')
export class InvoicesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(InvoiceView)
  list(@CurrentContext() context: RequestContext, @Query() query: InvoicesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, invoices, query));
  }

  @Get(':id')
  @ApiOne(InvoiceView)
  one(@CurrentContext() context: RequestContext, @IdParam('invoice') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, invoices, id));
  }

  @Get(':id/ledes')
  @ApiOperation({ summary: 'Export an invoice as a LEDES file' })
  @ApiExtension('x-refusals', [409])
  @ApiText('The invoice as a LEDES 1998BI file.')
  exportLedesOf(@CurrentContext() context: RequestContext, @IdParam('invoice') id: Id): Promise<Reply> {
    return this.queries.execute(new ExportLedes(context, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('invoice') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
