import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { PickType } from '@nestjs/swagger';
import { Loader } from '#event-store/loader';
import { type Id, toId, toUuid } from '#kernel/ids';
import { ReadDatabase } from '#platform/database';
import { ListQuery } from '#platform/http/input/list-query';
import type { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { live } from '#projections/live';
import { knex } from '../records/list-rows';
import { caughtUp } from '../records/own-write';
import { ListRecords, ListRecordsHandler } from '../records/records.queries';
import { roles, type SYSTEM_ROLES } from '../roles/role.lookup';
import { type EntitiesQuery, entities } from './entity.queries';

/** The read models whose records give their entity a system role. */
const givenBy: Record<(typeof SYSTEM_ROLES)[number], string> = {
  Client: 'clients',
  Employee: 'employees',
  Supplier: 'suppliers',
};

/** SQL for the entities that records of a read model represent. @param tenant the placeholder of the tenant's number */
function holders(readModel: string, tenant: string): string {
  return `select h.entity_id from read_model.${readModel} h
    where ${live(readModel, 'h', tenant)} and not h.is_deleted`;
}

export class ListEntities {
  constructor(
    readonly context: RequestContext,
    readonly query: EntitiesQuery,
  ) {}
}

export class EntityRolesQuery extends PickType(ListQuery, ['pageIndex', 'pageSize', 'includeTotalCount']) {}

export class ListEntityRoles {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    readonly query: EntityRolesQuery,
  ) {}
}

/** Lists entities. Which read model knows the entities with a certain role depends on that role. */
@QueryHandler(ListEntities)
export class ListEntitiesHandler implements IQueryHandler<ListEntities> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly records: ListRecordsHandler,
  ) {}

  async execute({ context, query }: ListEntities): Promise<Reply> {
    const { roleId } = query;
    if (roleId === undefined) return this.records.execute(new ListRecords(context, entities, query));
    const tenant = context.tenant.id;
    const system = await this.systemRole(tenant, roleId);
    const list: typeof entities = {
      ...entities,
      filter(asked, where) {
        entities.filter?.(asked, where);
        if (system) where('r.id', 'in', knex.raw(holders(givenBy[system], ':tenant'), { tenant }));
        else where('r.role_ids', '@>', `{${toUuid(roleId)}}`);
      },
    };
    return this.records.execute(new ListRecords(context, list, query));
  }

  private async systemRole(tenant: number, roleId: string): Promise<keyof typeof givenBy | undefined> {
    const { rows } = await this.reads.pool.query<{ name: keyof typeof givenBy }>(
      `select r.name from read_model.roles r
       where ${live('roles', 'r', '$1')} and r.id = $2 and r.role_kind = 'System'`,
      [tenant, toUuid(roleId)],
    );
    return rows[0]?.name;
  }
}

/**
 * Lists all roles of an entity, system and custom ones, once the read models show the entity's own stream.
 * @throws DomainError `not_found`, `position_not_reached`
 */
@QueryHandler(ListEntityRoles)
export class ListEntityRolesHandler implements IQueryHandler<ListEntityRoles> {
  constructor(
    private readonly reads: ReadDatabase,
    private readonly loader: Loader,
    private readonly records: ListRecordsHandler,
  ) {}

  async execute({ context, id, query }: ListEntityRoles): Promise<Reply> {
    const shown = await caughtUp(this.loader, context, id, async () => {
      const { rows } = await this.reads.pool.query<{ version: number; roles: string[] }>(
        `select case when ${showsItsRoles} then p.version else 0 end as version, array(${rolesOfPerson}) as roles
         from read_model.people p where ${live('people', 'p', '$1')} and p.id = $2`,
        [context.tenant.id, toUuid(id)],
      );
      return rows[0];
    });
    const ids = shown.roles.map((role) => toId('role', role));
    return this.records.execute(new ListRecords(context, roles, { ...query, ids }));
  }
}

const isGiven = Object.entries(givenBy).map(
  ([name, readModel]) => `s.name = '${name}' and exists (${holders(readModel, '$1')} and h.entity_id = p.id)`,
);
/** SQL for the ids of the roles of a person `p` of the read model `people`; $1 is the tenant's number. */
export const rolesOfPerson = `select unnest(p.role_ids) union all
  select s.id from read_model.roles s
  where ${live('roles', 's', '$1')} and s.role_kind = 'System' and (${isGiven.join(' or ')})`;

/**
 * SQL for whether the read model shows all roles that a person `p` was given. If both are new, the person may appear
 * before the role.
 */
const showsItsRoles = `not exists (
  select from unnest(p.role_ids) given(id)
  where not exists (select from read_model.roles s where ${live('roles', 's', '$1')} and s.id = given.id))`;
