import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, loadConfig } from './config';
import { createHttpApplication } from './http/http-application';
import { migrate } from './migrate';
import { startupProblem } from './startup-problem';

export interface ProcessParts {
  module(config: Config): DynamicModule;
  /** Brings what the process needs and completes its configuration; `release` undoes that, last of all. */
  prepare?(config: Config): Promise<{ config: Config; release(): Promise<void> }>;
  /** Runs once the application is made, before it listens. */
  made?(app: NestFastifyApplication, config: Config): Promise<void>;
  /** Runs once it listens. */
  listening?(app: NestFastifyApplication, config: Config): Promise<void>;
}

/**
 * The life of a process: configuration, migrations, HTTP server, and a stop on SIGTERM or SIGINT that lets requests
 * finish. What cannot start says why in one line and exits with 1.
 */
export async function runProcess(parts: ProcessParts): Promise<void> {
  const undo: (() => Promise<unknown>)[] = [];
  const stopped = stopOnSignal(undo);
  try {
    let config = loadConfig();
    if (parts.prepare) {
      const prepared = await parts.prepare(config);
      undo.push(prepared.release);
      config = prepared.config;
    }
    await migrate(config.databaseUrl, 'write');
    await migrate(config.readDatabaseUrl, 'read');
    const app = await createHttpApplication(parts.module(config), config);
    undo.push(() => app.close());
    await parts.made?.(app, config);
    await app.listen(config.PORT, config.HOST);
    await parts.listening?.(app, config);
    await stopped;
  } catch (error) {
    const problem = startupProblem(error);
    console.error(problem ?? (error as Error).stack ?? String(error));
    await unwind(undo);
    process.exit(1);
  }
}

/** Both a terminal and npm may send the signal: the second is the same wish. */
function stopOnSignal(undo: (() => Promise<unknown>)[]): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = async () => {
      if (stopping) return;
      stopping = true;
      await unwind(undo);
      resolve();
      process.exit(0);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

async function unwind(undo: (() => Promise<unknown>)[]): Promise<void> {
  for (const step of undo.splice(0).reverse()) {
    await step().catch((error: Error) => console.error(`While stopping: ${error.message}`));
  }
}
