import { Body, Controller, Get, Headers, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiExtension, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiText } from '#practice/records/api';
import { schemaScript } from '../schema/t-sql';
import { ApiAccepted, ApiReport, ApiStatus, RequestIdParam } from './import.api';
import { CancelImport, PromoteImport, QueueImport } from './import.commands';
import { ImportInput, ImportRequestInput, ReportQuery } from './import.input';
import { GetImport } from './import.queries';
import { GetReport } from './import-report.queries';

@ApiTags('etl')
@Controller(':tenant/api/v1/etl')
@Permission('etl:write')
export class ImportsWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post('import')
  @HttpCode(202)
  @ApiOperation({ summary: "Import a firm's data from its SQL Server into a staging tenant" })
  @ApiAccepted()
  queue(@CurrentContext() context: RequestContext, @Body() body: ImportInput): Promise<Reply> {
    return this.commands.execute(new QueueImport(context, body.connectionString));
  }

  @Post('promote-to-production')
  @HttpCode(202)
  @ApiOperation({ summary: 'Promote a validated import to production' })
  @ApiExtension('x-refusals', [404])
  @ApiAccepted()
  promote(@CurrentContext() context: RequestContext, @Body() body: ImportRequestInput): Promise<Reply> {
    return this.commands.execute(new PromoteImport(context, body.requestId));
  }

  @Post('cancel')
  @HttpCode(202)
  @ApiOperation({ summary: 'Cancel an import that has not been promoted' })
  @ApiExtension('x-refusals', [404])
  @ApiAccepted()
  cancel(@CurrentContext() context: RequestContext, @Body() body: ImportRequestInput): Promise<Reply> {
    return this.commands.execute(new CancelImport(context, body.requestId));
  }
}

@ApiTags('etl')
@Controller(':tenant/api/v1/etl')
@Permission('etl:write')
export class ImportsReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get('import-status/:requestId')
  @ApiOperation({ summary: 'Read the status of an import' })
  @ApiStatus()
  one(@CurrentContext() context: RequestContext, @RequestIdParam() requestId: string): Promise<Reply> {
    return this.queries.execute(new GetImport(context, requestId));
  }

  @Get('import-report/:requestId')
  @ApiOperation({ summary: 'Read the findings about the data of an import, and its totals' })
  @ApiReport()
  report(
    @CurrentContext() context: RequestContext,
    @RequestIdParam() requestId: string,
    @Query() query: ReportQuery,
    @Headers('accept') accept?: string,
  ): Promise<Reply> {
    return this.queries.execute(new GetReport(context, requestId, query, accept));
  }

  @Get('schema/1.0')
  @ApiOperation({ summary: 'Get the T-SQL script that creates the tables of an import, version 1.0' })
  @ApiText('The script, for SQL Server 2016 and later.')
  schema(): Reply {
    return new Reply(200, schemaScript(), { 'Content-Type': 'text/plain; charset=utf-8' });
  }
}
