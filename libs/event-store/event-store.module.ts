import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Appender } from './append';
import { BulkAppender } from './append/append-bulk';
import { ClosedTenants } from './closed-tenants';
import { Codec } from './codec';
import { Epochs } from './epochs';
import { Erasures } from './erasures';
import { EventStore } from './event-store';
import { type AnyDefinition, Definitions } from './events';
import { Feed } from './feed';
import { TenantFeed } from './feed/tenant-feed';
import { History } from './history';
import { Housekeeping } from './housekeeping';
import { Loader } from './loader';
import { SealVerification } from './seals/seal-verification';
import { Sealing } from './seals/sealing';
import { Seals } from './seals/seals';
import { AppendSignal } from './signal';
import { StreamAudit } from './streams/stream-audit';
import { StreamPages } from './streams/stream-pages';
import { StreamRebuild } from './streams/stream-rebuild';
import { StreamRefold } from './streams/stream-refold';
import { StreamVerifier } from './streams/stream-verifier';
import { SubjectKeys } from './subject-keys';

/** Services that processes and commands inject. */
const services = [
  BulkAppender,
  ClosedTenants,
  Codec,
  Epochs,
  Erasures,
  EventStore,
  Feed,
  History,
  Housekeeping,
  Loader,
  Seals,
  Sealing,
  SealVerification,
  StreamRebuild,
  StreamVerifier,
  SubjectKeys,
  TenantFeed,
];

/** Internal parts that the services share. */
const parts = [Appender, AppendSignal, StreamAudit, StreamPages, StreamRefold];

/** The event store for the stream kinds that a process knows. Needs PlatformModule. */
@Global()
@Module({})
export class EventStoreModule {
  static forDefinitions(definitions: readonly AnyDefinition[]): DynamicModule {
    return {
      module: EventStoreModule,
      providers: [{ provide: Definitions, useValue: new Definitions(definitions) }, ...parts, ...services],
      exports: [Definitions, ...services],
    };
  }
}
