import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fromToken, type Position } from '#event-store/position';
import { DomainError } from '#kernel/errors';
import { contextOf } from '#platform/auth/current-context';
import { ReadDatabase } from '#platform/database';
import type { TenantRef } from '#platform/request-context';
import { Projections } from './projections';

const WAIT_MS = 5_000;
const POLL_MS = 5;

/** `X-Min-Position` on a read: it waits until every read model has come as far as that write of the tenant. */
@Injectable()
export class ReadYourWrites implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly database: ReadDatabase,
    private readonly projections: Projections,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('preHandler', async (request: FastifyRequest) => {
      const token = request.headers['x-min-position'];
      const caller = contextOf(request);
      const isRead =
        ['GET', 'HEAD'].includes(request.method) || request.routeOptions.url?.endsWith('/graphql');
      if (typeof token === 'string' && caller && isRead) await this.reach(caller.tenant, fromToken(token));
    });
  }

  /** @throws DomainError `position_not_reached` (503) after 5 s */
  private async reach(tenant: TenantRef, position: Position): Promise<void> {
    for (const end = Date.now() + WAIT_MS; !(await this.reached(tenant, position)); ) {
      if (Date.now() >= end) {
        const detail = 'The read models have not come as far as X-Min-Position yet; try again.';
        throw new DomainError('unavailable', 'position_not_reached', detail, [], { 'Retry-After': '1' });
      }
      await delay(POLL_MS);
    }
  }

  private async reached(tenant: TenantRef, { epoch, transactionId, position }: Position): Promise<boolean> {
    const { rows } = await this.database.pool.query<{ behind: boolean }>({
      name: 'projections.reached',
      text: `
        select cardinality($6::text[]) > (
          select count(*) from (
            select distinct on (projection) projection, generation, tenant_id from read_model.tracks
            where tenant_id in (0, $1) and projection = any($6) order by projection, tenant_id desc
          ) t
          join read_model.checkpoints c using (projection, generation, tenant_id)
          where c.partition = $2 and (c.epoch, c.transaction_id, c.position) >= ($3, $4::xid8, $5)
        ) as behind`,
      values: [
        ...[tenant.id, tenant.partition, epoch, transactionId.toString(), position.toString()],
        // Those that this program reads: a newer one may have brought more, which nobody builds yet.
        this.projections.all.map(({ name }) => name),
      ],
    });
    return !rows[0].behind;
  }
}
