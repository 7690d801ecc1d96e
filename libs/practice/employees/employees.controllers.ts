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
import { employeeWriting } from './employee.commands';
import { EmployeeInput, EmployeePatch } from './employee.input';
import { EmployeesQuery, EmployeeView, employees, employeeView } from './employee.queries';

@ApiTags('employees')
@Controller(':tenant/api/v1/employees')
@Permission('employees:write')
export class EmployeesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiCreate(EmployeeView)
  async create(@CurrentContext() context: RequestContext, @Body() body: EmployeeInput): Promise<Reply> {
    return created(
      context,
      'employees',
      await this.commands.execute(new CreateRecord(context, employeeWriting, body)),
      employeeView,
    );
  }

  @Patch(':id')
  @ApiUpdate(EmployeeView)
  async update(
    @CurrentContext() context: RequestContext,
    @IdParam('employee') id: Id,
    @Body() body: EmployeePatch,
    @Headers('prefer') prefer?: string,
  ): Promise<Reply> {
    return updated(
      await this.commands.execute(new UpdateRecord(context, employeeWriting, id, body)),
      employeeView,
      prefer,
    );
  }

  @Post(':id/activate')
  @ApiAction(EmployeeView)
  async activate(@CurrentContext() context: RequestContext, @IdParam('employee') id: Id): Promise<Reply> {
    return acted(await this.commands.execute(new ActivateRecord(context, employeeWriting, id)), employeeView);
  }

  @Post(':id/deactivate')
  @ApiAction(EmployeeView)
  async deactivate(@CurrentContext() context: RequestContext, @IdParam('employee') id: Id): Promise<Reply> {
    return acted(
      await this.commands.execute(new DeactivateRecord(context, employeeWriting, id)),
      employeeView,
    );
  }

  @Delete(':id')
  @ApiRemove()
  async remove(@CurrentContext() context: RequestContext, @IdParam('employee') id: Id): Promise<Reply> {
    return removed(await this.commands.execute(new DeleteRecord(context, employeeWriting, id)));
  }
}

@ApiTags('employees')
@Controller(':tenant/api/v1/employees')
@Permission('employees:read')
export class EmployeesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiPage(EmployeeView)
  list(@CurrentContext() context: RequestContext, @Query() query: EmployeesQuery): Promise<Reply> {
    return this.queries.execute(new ListRecords(context, employees, query));
  }

  @Get(':id')
  @ApiOne(EmployeeView)
  one(@CurrentContext() context: RequestContext, @IdParam('employee') id: Id): Promise<Reply> {
    return this.queries.execute(new GetRecord(context, employees, id));
  }

  @Get(':id/history')
  @ApiHistory()
  history(
    @CurrentContext() context: RequestContext,
    @IdParam('employee') id: Id,
    @Query() query: HistoryQuery,
  ): Promise<Reply> {
    return this.queries.execute(new GetHistory(context, id, query));
  }
}
