import type { Writable } from 'node:stream';
import { type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventStoreModule } from '#event-store/event-store.module';
import { ImportModule } from '#import/import.module';
import { Integrations } from '#platform/auth/integrations';
import { SigningKeys } from '#platform/auth/signing-keys';
import { Tenants } from '#platform/auth/tenants';
import { Config, ConfigError, type Region } from '#platform/config';
import { ReadDatabase, WriteDatabase } from '#platform/database';
import { withClient } from '#platform/database/connection';
import { databaseRefusal, toldOf } from '#platform/database/database-refusal';
import { findEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { PlatformModule } from '#platform/platform.module';
import { Resealing } from '#platform/resealing';
import { loadSecretsKey } from '#platform/secrets-key-file';
import { definitions, projections } from '#practice/areas';
import { DemoLoad } from '#practice/demo/demo-load';
import { DocumentVerifier } from '#practice/documents/document.verifier';
import { ErasedEntities } from '#practice/entities/entity.erasures';
import { TenantSetup } from '#practice/tenants/tenant-setup';
import { ProjectionsModule } from '#projections/projections.module';
import { DeliveryTail } from '#webhooks/log/delivery-tail';
import { format } from './format';
import { barOn, linesTo, type Progress } from './progress';

/** The settings that a command reads, and the streams to which it writes. */
export interface Terminal {
  config(): Config;
  /** @param unread the error when nobody reads the text; by default that is none */
  out(text: string, unread?: Error): void;
  err(text: string): void;
  /** Takes output that is too long for one string. Default: the process's standard output. */
  output?: Writable;
  /** A terminal on which to draw progress bars. Without one, progress is written as lines to `err`. */
  screen?: NodeJS.WritableStream;
}

/** The services and outputs that a command uses. */
export interface Session {
  /** The configuration with the database that was found. @throws ConfigError when there is none */
  config(): Promise<Config>;
  /** Runs `work` with a service of the application; closes all connections afterwards. */
  use<Service, Result>(service: Type<Service>, work: (service: Service) => Promise<Result>): Promise<Result>;
  /** Prints an answer as JSON, or for people. @param forPeople the parts that people see instead of the answer */
  print(answer: object, ...forPeople: object[]): void;
  /** Prints an answer that cannot be had again. @param unread the error when nobody reads it */
  printOnce(answer: object, unread: Error): void;
  /** Prints one of many answers, as JSON or as a line for people. May be called repeatedly. */
  line(answer: object, forPeople: string): void;
  /** Like `print`, for an answer that reports faults: the command ends with exit code 1. */
  found(answer: object, ...forPeople: object[]): void;
  /** Shows the progress of long work. Undefined with --json when no terminal can show it. */
  progress(label: string): Progress | undefined;
  readonly output: Writable;
  /** Exit code of a command that threw no error. */
  readonly exitCode: 0 | 1;
}

export function openSession(terminal: Terminal, json: boolean): Session {
  const config = () => withDatabase(terminal.config());
  const textOf = (answer: object, forPeople = [answer]) =>
    json ? JSON.stringify(answer) : forPeople.map(format).join('\n\n');
  const print = (answer: object, ...forPeople: object[]) =>
    terminal.out(textOf(answer, forPeople.length > 0 ? forPeople : undefined));
  let exitCode: 0 | 1 = 0;
  return {
    config,
    print,
    printOnce: (answer, unread) => terminal.out(textOf(answer), unread),
    line: (answer, forPeople) => terminal.out(json ? JSON.stringify(answer) : forPeople),
    found(answer, ...forPeople) {
      print(answer, ...forPeople);
      exitCode = 1;
    },
    progress(label) {
      if (terminal.screen) return barOn(terminal.screen, label);
      return json ? undefined : linesTo((line) => terminal.err(line), label);
    },
    output: terminal.output ?? process.stdout,
    get exitCode() {
      return exitCode;
    },
    async use(service, work) {
      const used = await config();
      const context = await connect(used);
      try {
        return await work(context.get(service)).catch((error) => named(error, used, context));
      } finally {
        await context.close();
      }
    },
  };
}

async function withDatabase(config: Config): Promise<Config> {
  // A given database does not use the key in DATA_DIR, which belongs to the embedded database.
  if (config.DATABASE_URL) return config;
  const DATABASE_URL = await findEmbeddedPostgres(config.DATA_DIR);
  if (!DATABASE_URL)
    throw new ConfigError([
      `No database runs in ${config.DATA_DIR}: start it with npm start, or set DATABASE_URL`,
    ]);
  const SECRETS_KEY = config.SECRETS_KEY ?? (await loadSecretsKey(config.DATA_DIR));
  return Object.assign(new Config(), config, { DATABASE_URL, SECRETS_KEY });
}

async function connect(config: Config): Promise<INestApplicationContext> {
  if (!config.SECRETS_KEY)
    throw new ConfigError(['SECRETS_KEY is required: DATA_DIR has that of the embedded database alone']);
  const region = installedRegion(config.databaseUrl);
  const REGION =
    (await (config.READ_DATABASE_URL ? toldOf('DATABASE_URL', region) : region)) ?? config.REGION;
  @Module({
    imports: [
      PlatformModule.forRoot(Object.assign(new Config(), config, { REGION })),
      EventStoreModule.forDefinitions(definitions),
      ProjectionsModule.forProjections(projections),
      ImportModule.for({ asks: true }),
    ],
    providers: [
      Tenants,
      TenantSetup,
      DemoLoad,
      Integrations,
      SigningKeys,
      Resealing,
      ErasedEntities,
      DocumentVerifier,
      DeliveryTail,
    ],
  })
  class CliModule {}
  // run() reports errors, once.
  return NestFactory.createApplicationContext(CliModule, { logger: false, abortOnError: false });
}

/** Throws a command's error, which says which of two databases does not answer. */
async function named(error: object, config: Config, context: INestApplicationContext): Promise<never> {
  if (config.READ_DATABASE_URL && databaseRefusal(error)) {
    const states = { DATABASE_URL: WriteDatabase, READ_DATABASE_URL: ReadDatabase } as const;
    for (const [variable, database] of Object.entries(states))
      if ((await context.get(database).state()) === 'unavailable')
        await toldOf(variable, Promise.reject(error));
  }
  throw error;
}

/** The region that the database was installed with, so that an operator need not set REGION. */
async function installedRegion(url: string): Promise<Region | undefined> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ region: Region }>('select region from platform.installation'),
  );
  return rows[0]?.region;
}
