import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Pool } from 'pg';
import { Public } from '../auth/permission.guard';
import { ReadDatabase, WriteDatabase } from '../database';

@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly writes: WriteDatabase,
    private readonly reads: ReadDatabase,
  ) {}

  /** The process runs. */
  @Get('live')
  @Public()
  live(): object {
    return { status: 'ok' };
  }

  /** The process can do its work: 503 while a database does not answer. */
  @Get('ready')
  @Public()
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const [eventStore, readModels] = await Promise.all([answers(this.writes.pool), answers(this.reads.pool)]);
    const ok = eventStore && readModels;
    void reply.status(ok ? 200 : 503);
    return {
      status: ok ? 'ok' : 'unavailable',
      checks: { eventStore: word(eventStore), readModels: word(readModels) },
    };
  }
}

async function answers(pool: Pool): Promise<boolean> {
  return pool.query('select 1').then(
    () => true,
    () => false,
  );
}

function word(ok: boolean): string {
  return ok ? 'ok' : 'unavailable';
}
