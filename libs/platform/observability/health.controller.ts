import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { Public } from '../auth/permission.guard';
import { ReadDatabase, WriteDatabase } from '../database';
import { Health } from './health';

/**
 * For each of two questions in turn. Whoever asks waits some seconds; a server that is silent would not answer for longer.
 * With much less, a process that is only busy could pass for one that cannot work.
 */
const PATIENCE_MS = 5_000;

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
    private readonly health: Health,
  ) {}

  /** The process runs. */
  @Get('live')
  @Public()
  live(): object {
    return { status: 'ok' };
  }

  /**
   * The process can do its work: 503 while a database does not answer, and `stopping` once it is being stopped. 200 and
   * `degraded` when a part of it needs an operator; `degraded` then says which.
   */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    if (reply.server.drain.isBegun) {
      void reply.status(503);
      return { status: 'stopping' };
    }
    const [eventStore, readModels] = await Promise.all([answers(this.writes.pool), answers(this.reads.pool)]);
    const checks = { eventStore: word(eventStore), readModels: word(readModels) };
    // What is degraded is known only while the databases answer.
    const degraded = eventStore && readModels ? await inTime(this.health.degraded()) : undefined;
    if (!degraded) {
      void reply.status(503);
      return { status: 'unavailable', checks };
    }
    return degraded.length > 0 ? { status: 'degraded', checks, degraded } : { status: 'ok', checks };
  }
}

async function answers(pool: Pool): Promise<boolean> {
  return (await inTime(pool.query('select 1'))) !== undefined;
}

/** @returns undefined when it fails, or takes too long */
function inTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
  const late = delay(PATIENCE_MS, undefined, { ref: false });
  return Promise.race([work.catch(() => undefined), late]);
}

function word(ok: boolean): string {
  return ok ? 'ok' : 'unavailable';
}
