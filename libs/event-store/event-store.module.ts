import { type DynamicModule, Global, Module } from '@nestjs/common';
import { SealVerification } from '#event-store/seals/seal-verification';
import { Sealing } from '#event-store/seals/sealing';
import { Seals } from '#event-store/seals/seals';
import { StreamAudit } from '#event-store/streams/stream-audit';
import { StreamPages } from '#event-store/streams/stream-pages';
import { StreamRebuild } from '#event-store/streams/stream-rebuild';
import { StreamRefold } from '#event-store/streams/stream-refold';
import { StreamVerifier } from '#event-store/streams/stream-verifier';
import { Appender } from './append';
import { BulkAppender } from './append/append-bulk';
import { ClosedTenants } from './closed-tenants';
import { Codec } from './codec';
import { Epochs } from './epochs';
import { Erasures } from './erasures';
import { EventStore } from './event-store';
import { type AnyDefinition, Definitions } from './events';
import { Feed } from './feed';
import { LatestEvent } from './feed/latest-event';
import { TenantFeed } from './feed/tenant-feed';
import { History } from './history';
import { Housekeeping } from './housekeeping';
import { Loader } from './loader';
import { AppendSignal } from './signal';
import { SubjectKeys } from './subject-keys';

/** The event store for the kinds of stream that a process knows; needs PlatformModule. */
@Global()
@Module({})
export class EventStoreModule {
  static forDefinitions(definitions: readonly AnyDefinition[]): DynamicModule {
    return {
      module: EventStoreModule,
      providers: [
        { provide: Definitions, useValue: new Definitions(definitions) },
        SubjectKeys,
        ClosedTenants,
        Codec,
        Loader,
        AppendSignal,
        Appender,
        BulkAppender,
        Epochs,
        Erasures,
        EventStore,
        Feed,
        History,
        Housekeeping,
        LatestEvent,
        Seals,
        Sealing,
        SealVerification,
        StreamRefold,
        StreamAudit,
        StreamPages,
        StreamVerifier,
        StreamRebuild,
        TenantFeed,
      ],
      exports: [
        BulkAppender,
        ClosedTenants,
        Codec,
        Definitions,
        Epochs,
        Erasures,
        EventStore,
        Feed,
        History,
        Housekeeping,
        LatestEvent,
        Loader,
        SubjectKeys,
        TenantFeed,
        Seals,
        Sealing,
        SealVerification,
        StreamVerifier,
        StreamRebuild,
      ],
    };
  }
}
