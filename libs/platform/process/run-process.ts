import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Config, ConfigError, loadConfig } from '../config';
import { migrateDatabases } from '../database/named-databases';
import { Drain } from '../http/drain';
import { createHttpApplication } from '../http/http-application';
import { JsonLogger } from '../json-logger';
import { Ending } from './ending';
import { watchShutdowns } from './pending-shutdowns';
import { freeRequestsEarly } from './short-lived-objects';
import { startupProblem } from './startup-problem';

export interface ProcessParts {
  module(config: Config): DynamicModule;
  /**
   * The process starts, and goes on, while the server of the read models is away; other processes migrate that server.
   */
  withoutReadModels?: true;
  /**
   * Provides what the process needs, and completes its configuration. `release` undoes that, as the last step of all.
   */
  prepare?(config: Config): Promise<{ config: Config; release(): Promise<void> }>;
  /** Runs once the application is created, before it listens. */
  made?(app: NestFastifyApplication, config: Config): Promise<void>;
  /** Runs once it listens. */
  listening?(app: NestFastifyApplication, config: Config): Promise<void>;
}

/**
 * How long requests are still accepted on open connections: enough for a proxy under load to use each that it keeps.
 */
const GRACE_MS = 1_000;

/**
 * Deadlines of the steps of a stop, in milliseconds after the signal. Orchestrators kill a process after ten seconds. A
 * read may wait five seconds for its position. A client whose request never ends must not keep the remaining steps from
 * running.
 */
const BY_MS = { requests: 7_000, application: 9_000, release: 9_800 };

/**
 * Runs a process: configuration, migrations, HTTP server. It stops on SIGTERM, SIGINT or SIGHUP, lets requests finish, and
 * ends within ten seconds: with 0 or process.exitCode, or with 1 when a step was not done by then. A process that cannot
 * start prints the reason in one line and exits with 1.
 */
export async function runProcess(parts: ProcessParts): Promise<void> {
  freeRequestsEarly();
  const ending = new Ending();
  let signal: NodeJS.Signals | undefined;
  const stop = async (given: NodeJS.Signals) => {
    // Both a terminal and npm may send the signal: the second one changes nothing.
    if (signal) return;
    signal = given;
    process.exit((await ending.run()) ? process.exitCode : 1);
  };
  for (const each of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(each, stop);
  try {
    // Ctrl-C comes from a person who waits, SIGHUP from a terminal that was closed: there is no proxy in front.
    await start(parts, ending, () => (signal === 'SIGTERM' ? GRACE_MS : 0));
  } catch (error) {
    // A start that a stop interrupts fails because of what the stop has ended.
    if (signal) return;
    const problem = startupProblem(error);
    console.error(problem ?? (error as Error).stack ?? String(error));
    await ending.run();
    process.exit(1);
  }
}

async function start(parts: ProcessParts, ending: Ending, graceMs: () => number): Promise<void> {
  let config = loadConfig();
  if (parts.prepare) {
    const prepared = await parts.prepare(config);
    ending.add({
      by: BY_MS.release,
      end: prepared.release,
      pending: () => 'the release of what was prepared',
    });
    config = prepared.config;
  }
  const logger = new JsonLogger(config.LOG_LEVEL);
  await migrateDatabases(config, parts.withoutReadModels ? ['write'] : ['write', 'read'], (set, files) =>
    logger.log(
      `Bringing the ${set} tables up to date: ${files.length} migrations, to ${files.at(-1)}`,
      'Migrations',
    ),
  );
  const app = await createHttpApplication(parts.module(config), config, logger);
  let shutdowns: ReadonlySet<string> = new Set();
  ending.add({
    by: BY_MS.application,
    end: () => {
      shutdowns = watchShutdowns(app);
      return app.close();
    },
    pending: () => [...shutdowns].join(', ') || 'the application',
  });
  const drain = Drain.of(app);
  ending.add({
    by: BY_MS.requests,
    end: () => drain.run(graceMs()),
    pending: () => drain.pending(),
    abandon: () => drain.cut(),
  });
  await parts.made?.(app, config);
  await listen(app, config);
  await parts.listening?.(app, config);
}

/** @throws ConfigError for a HOST that cannot be resolved: Node's error looks like that for a database's host */
async function listen(app: NestFastifyApplication, { HOST, PORT }: Config): Promise<void> {
  await app.listen(PORT, HOST).catch((error: NodeJS.ErrnoException) => {
    if (error.syscall !== 'getaddrinfo') throw error;
    throw new ConfigError([`HOST ${HOST} cannot be resolved (${error.code})`]);
  });
}
