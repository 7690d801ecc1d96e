import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Appender } from './append';
import { Codec } from './codec';
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
        EventStore,
        Feed,
      ],
      exports: [Codec, Definitions, EventStore, Feed, Loader, SubjectKeys],
    };
  }
}
