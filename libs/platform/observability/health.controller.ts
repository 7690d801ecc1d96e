import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Inject, Optional, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/permission.guard';
import { type DatabaseState, ReadDatabase, WriteDatabase } from '../database';
import { Health } from './health';

/** Whoever asks waits some seconds; a server that is silent would not answer for longer. */
const PATIENCE_MS = 5_000;
/** For what decides nothing: whoever asks may wait a second only, as Kubernetes does where it is not told otherwise. */
const GLANCE_MS = 500;
/** A part that could not be asked, since the process is busy, keeps it from working no more than one that needs an operator. */
const NOT_TOLD = ['not known: a part could not be asked'];
/** Of a process that does its work without read models: true. */
export const WITHOUT_READ_MODELS = 'WithoutReadModels';

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
    private readonly health: Health,
    @Optional() @Inject(WITHOUT_READ_MODELS) private readonly withoutReadModels = false,
  ) {}

  /** The process runs. */
  @Get('live')
  @Public()
  live(): object {
    return { status: 'ok' };
  }

  /**
   * The process can do its work: 503 while a database that it needs does not answer, and `stopping` once it is being
   * stopped. 200 and `degraded` when a part of it needs an operator; `degraded` then says which.
   */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    if (reply.server.drain.isBegun) {
      void reply.status(503);
      return { status: 'stopping' };
    }
    const [eventStore, readModels, told] = await Promise.all([
      inTime<DatabaseState>(this.writes.state(), 'unavailable'),
      inTime<DatabaseState>(
        this.reads.state(),
        'unavailable',
        this.withoutReadModels ? GLANCE_MS : PATIENCE_MS,
      ),
      inTime(this.health.degraded(), NOT_TOLD),
    ]);
    const checks = { eventStore, readModels };
    const isLost = eventStore === 'unavailable' || (readModels === 'unavailable' && !this.withoutReadModels);
    if (isLost) {
      void reply.status(503);
      return { status: 'unavailable', checks };
    }
    const degraded = [...lineOf('event store', eventStore), ...lineOf('read models', readModels), ...told];
    return degraded.length > 0 ? { status: 'degraded', checks, degraded } : { status: 'ok', checks };
  }
}

/** @param otherwise what stands for it when it fails, or takes too long */
function inTime<Result>(work: Promise<Result>, otherwise: Result, patienceMs = PATIENCE_MS): Promise<Result> {
  const late = delay(patienceMs, otherwise, { ref: false });
  return Promise.race([work.catch(() => otherwise), late]);
}

function lineOf(what: string, state: DatabaseState): string[] {
  if (state === 'ok') return [];
  return [`the ${what} ${state === 'read-only' ? 'can only be read' : 'do not answer'}`];
}
