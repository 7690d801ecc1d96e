import { Readable } from 'node:stream';
import { applyDecorators, Logger } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiExtraModels, ApiOkResponse, ApiOperation, getSchemaPath } from '@nestjs/swagger';
import { EventStore } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import { at } from '#event-store/load';
import { Loader } from '#event-store/loader';
import { toToken } from '#event-store/position';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { notFound } from '#kernel/errors';
import { type Id, toUuid } from '#kernel/ids';
import { ReadDatabase } from '#platform/database';
import { logTrouble } from '#platform/database/trouble-log';
import { Reply } from '#platform/http/reply';
import type { RequestContext } from '#platform/request-context';
import { live } from '#projections/live';
import { ReachedPositions } from '#projections/reached-positions';
import { envelope } from '../records/api';
import { isTooLarge, weighed } from '../records/page-weight';
import { foldedRow, type StoredRow } from '../records/record-list';
import { tableOf } from '../records/state-table';
import { Entity, type EntityState } from './entity';
import { type Held, held } from './entity.held';
import { EntityView, entityView } from './entity.queries';

/**
 * How many records or events are read at once. It limits the memory that an export takes; long records are read in
 * smaller numbers.
 */
const AT_ONCE = 100;

export class ExportEntity {
  constructor(
    readonly context: RequestContext,
    readonly id: Id,
    /** Whether the request is a HEAD. Its response has no body, so that no export is recorded. */
    readonly headersOnly = false,
  ) {}
}

/**
 * Exports all data that is held on a person, even a deleted one. The event that records the export, its recipient and
 * its time is written before the first byte is sent. Records appear as they are stored: decimals as text, states as
 * integers.
 */
@CommandHandler(ExportEntity)
export class ExportEntityHandler implements ICommandHandler<ExportEntity> {
  private readonly log = new Logger(ExportEntityHandler.name);

  constructor(
    private readonly store: EventStore,
    private readonly loader: Loader,
    private readonly reads: ReadDatabase,
    private readonly positions: ReachedPositions,
  ) {}

  /** @throws DomainError `not_found`; `position_not_reached` if the read models are more than 5 s behind */
  async execute({ context, id, headersOnly }: ExportEntity): Promise<Reply> {
    const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
    if (headersOnly) {
      if ((await this.loader.versionOf(context.tenant.id, id)) === 0) throw notFound('entity');
      return new Reply(200, Readable.from([]), headers);
    }
    const { record, position } = await this.store.execute(context, (work) => recordExport(work, id));
    await this.positions.reach(context.tenant, position!, 'what the export has to hold');
    return new Reply(200, Readable.from(this.told(this.text(context, record))), {
      ...headers,
      'X-Event-Position': toToken(position!),
    });
  }

  /** Logs a failure and breaks the response off, because its headers were sent already. */
  private async *told(text: AsyncGenerator<string>): AsyncGenerator<string> {
    try {
      yield* text;
    } catch (error) {
      logTrouble(this.log, `An export was broken off: ${(error as Error).message}`, error);
      throw error;
    }
  }

  private async *text({ tenant }: RequestContext, record: Folded<EntityState>): AsyncGenerator<string> {
    const { updatedOn, updatedBy } = record.audit;
    yield `{"success":true,"data":{"exportedOn":"${updatedOn}","exportedBy":${JSON.stringify(updatedBy)}`;
    yield `,"entity":${JSON.stringify(entityView(record))}`;
    for (const one of held) yield* list(one.name, this.records(tenant.id, one, record.id));
    yield* list('history', this.history(tenant.id, record));
    yield '}}';
  }

  /** Reads the records of one place. Their ids are selected first, so that the search runs once for any number. */
  private async *records(
    tenantId: number,
    { projection, kind, where }: Held,
    id: Id,
  ): AsyncGenerator<object[]> {
    const rows = `from read_model.${tableOf(projection)} r where ${live(projection, 'r', '$1')}`;
    const found = await this.reads.pool.query<{ ids: string[] }>(
      `select array(select r.id ${rows} and (${where}) and ($2::uuid, $3::text) is not null order by r.id) as ids`,
      [tenantId, toUuid(id), id],
    );
    const { ids } = found.rows[0];
    for (let [from, atOnce] = [0, AT_ONCE]; from < ids.length; ) {
      const some = ids.slice(from, from + atOnce);
      try {
        const page = await weighed<StoredRow>(this.reads.pool, {
          text: `select r.id, r.version, r.created_on, r.created_by, r.updated_on, r.updated_by, r.state
            ${rows} and r.id = any($2::uuid[]) order by r.id`,
          values: [tenantId, some],
        });
        from += some.length;
        yield page.map((row) => {
          const { id: own, version, audit, data } = foldedRow({ kind }, row);
          return { id: own, version, ...audit, ...data };
        });
      } catch (error) {
        if (!isTooLarge(error) || some.length === 1) throw error;
        atOnce = Math.ceil(some.length / 4);
      }
    }
  }

  private async *history(tenantId: number, { id, version }: Folded): AsyncGenerator<object[]> {
    for await (const events of this.loader.parts(tenantId, toUuid(id), { upTo: version })) {
      yield events.map(({ event, metadata, recordedAt, ...recorded }) => ({
        version: recorded.version,
        type: event.type,
        on: recordedAt.toISOString(),
        by: metadata.actor,
        source: metadata.source,
        changes: event.data,
      }));
    }
  }
}

/** @throws DomainError `not_found` */
export async function recordExport(work: UnitOfWork, id: string): Promise<Folded<EntityState>> {
  const { entity } = await work.load({ entity: at(Entity, id) });
  if (!entity) throw notFound('entity');
  return work.change(Entity, entity, [{ type: 'EntityExported', data: {} }]);
}

async function* list(name: string, pages: AsyncGenerator<object[]>): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let separator = '';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.map((one) => JSON.stringify(one)).join();
    separator = ',';
  }
  yield ']';
}

/** The API description of the export. */
export function ApiExport(): MethodDecorator {
  const records = { type: 'array', items: { type: 'object', additionalProperties: true } };
  const properties = {
    exportedOn: { type: 'string', format: 'date-time', description: 'When the export was made.' },
    exportedBy: { type: 'string', description: 'Who asked for it.', example: 'integration:demo-client' },
    entity: { $ref: getSchemaPath(EntityView) },
    ...Object.fromEntries(held.map(({ name, description }) => [name, { ...records, description }])),
    history: { ...records, description: 'Events of the entity, the oldest first' },
  };
  const schema = envelope({ type: 'object', required: Object.keys(properties), properties });
  const position = {
    description: 'The position of the event that records the export. The export holds everything up to it.',
    schema: { type: 'string' },
  };
  return applyDecorators(
    ApiExtraModels(EntityView),
    ApiOperation({
      description:
        'Returns all data that is held on the person or organisation, record by record as it is stored. The export is ' +
        'recorded as an event of the entity.',
    }),
    ApiOkResponse({ ...schema, headers: { 'X-Event-Position': position } }),
  );
}
