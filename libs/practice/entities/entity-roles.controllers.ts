import { Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Id } from '#kernel/ids';
import { CurrentContext } from '#platform/auth/current-context';
import { Permission } from '#platform/auth/permission.guard';
import { IdParam } from '#platform/http/input/id-param';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { ApiOne, ApiPage, ApiRemove } from '../records/api';
import { acted, removed } from '../records/replies';
import { RoleView } from '../roles/role.lookup';
import { EntityView, entityView } from './entity.queries';
import { EntityRolesQuery, ListEntityRoles } from './entity.role-queries';
import { AssignRole, RemoveRole } from './entity.roles';

@ApiTags('entities')
@Controller(':tenant/api/v1/entities/:id/roles')
@Permission('entities:write')
export class EntityRolesWriteController {
  constructor(private readonly commands: CommandBus) {}

  @Put(':roleId')
  @ApiOperation({ summary: 'Give an entity a custom role' })
  @ApiOne(EntityView)
  @ApiHeader({
    name: 'If-Match',
    required: false,
    description:
      'The ETag of the version of the entity that you have read. The request is refused with 412 when the entity has ' +
      'another version by now.',
  })
  async assign(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @IdParam('role', 'roleId') roleId: Id,
  ): Promise<Reply> {
    return acted(await this.commands.execute(new AssignRole(context, id, roleId)), entityView);
  }

  @Delete(':roleId')
  @ApiOperation({ summary: 'Take a custom role from an entity' })
  @ApiRemove()
  async remove(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @IdParam('role', 'roleId') roleId: Id,
  ): Promise<Reply> {
    return removed(await this.commands.execute(new RemoveRole(context, id, roleId)));
  }
}

@ApiTags('entities')
@Controller(':tenant/api/v1/entities/:id/roles')
@Permission('entities:read')
export class EntityRolesReadController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @ApiOperation({ summary: 'List the roles of an entity, system and custom ones' })
  @ApiPage(RoleView)
  list(
    @CurrentContext() context: RequestContext,
    @IdParam('entity') id: Id,
    @Query() query: EntityRolesQuery,
  ): Promise<Reply> {
    return this.queries.execute(new ListEntityRoles(context, id, query));
  }
}
