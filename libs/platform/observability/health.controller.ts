import { setTimeout as delay } from 'node:timers/promises';
import { Controller, Get, Inject, Optional, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../auth/permission.guard';
import { type DatabaseState, ReadDatabase, WriteDatabase } from '../database';
import { Health } from './health';

/** How long a check may take. A client waits only some seconds, and a server that does not answer would take longer. */
const PATIENCE_MS = 5_000;
/**
 * The limit of a check that does not decide the answer: a client may wait only a second, as Kubernetes does by default.
 */
const GLANCE_MS = 500;
/**
 * Stands for parts that could not be asked because the process is busy. Like any degraded part, they do not make it
 * unready.
 */
const NOT_TOLD = ['not known: a part could not be asked'];
/** Provides `true` in a process that does its work without read models. */
export const WITHOUT_READ_MODELS = 'WithoutReadModels';

interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<'eventStore' | 'readModels', DatabaseState>;
  degraded?: string[];
}

@ApiExcludeController()
@Controller('health')
export class HealthController {
  private checking?: Promise<Readiness>;

  constructor(
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
    private readonly health: Health,
    @Optional() @Inject(WITHOUT_READ_MODELS) private readonly withoutReadModels = false,
  ) {}

  /** Answers while the process runs. */
  @Get('live')
  @Public()
  live(): object {
    return { status: 'ok' };
  }

  /**
   * Whether the process can do its work. 503 while a database that it needs does not answer, and `stopping` once it is
   * being stopped. 200 and `degraded` when a part of it needs an operator; the field `degraded` says which. Those who
   * ask during a check share it, however many they are: so an answer may be as old as a check takes.
   */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    if (reply.server.drain.isBegun) {
      void reply.status(503);
      return { status: 'stopping' };
    }
    this.checking ??= this.check().finally(() => {
      this.checking = undefined;
    });
    const readiness = await this.checking;
    if (readiness.status === 'unavailable') void reply.status(503);
    return readiness;
  }

  private async check(): Promise<Readiness> {
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
    if (isLost) return { status: 'unavailable', checks };
    const degraded = [...lineOf('event store', eventStore), ...lineOf('read models', readModels), ...told];
    return degraded.length > 0 ? { status: 'degraded', checks, degraded } : { status: 'ok', checks };
  }
}

/** @param otherwise the result when the work fails or takes too long */
function inTime<Result>(work: Promise<Result>, otherwise: Result, patienceMs = PATIENCE_MS): Promise<Result> {
  const late = delay(patienceMs, otherwise, { ref: false });
  return Promise.race([work.catch(() => otherwise), late]);
}

function lineOf(what: string, state: DatabaseState): string[] {
  if (state === 'ok') return [];
  return [`the ${what} ${state === 'read-only' ? 'can only be read' : 'do not answer'}`];
}
