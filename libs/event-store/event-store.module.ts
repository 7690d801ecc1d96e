import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Appender } from './append';
import { BulkAppender } from './append-bulk';
import { Codec } from './codec';
import { Epochs } from './epochs';
import { EventStore } from './event-store';
import { type AnyDefinition, Definitions } from './events';
import { Feed } from './feed';
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
        Codec,
        Loader,
        AppendSignal,
        Appender,
        BulkAppender,
        Epochs,
        EventStore,
        Feed,
      ],
      exports: [BulkAppender, Codec, Definitions, Epochs, EventStore, Feed, Loader, SubjectKeys],
    };
  }
}
