import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { EventStoreModule } from '#event-store/event-store.module';
import { Tenants } from '#platform/auth/tenants';
import { FollowedStore } from '#projections/followed-store';
import { Projections } from '#projections/projections';
import { ReachedPositions } from '#projections/reached-positions';
import { ReadYourWrites } from '#projections/read-your-writes';
import { areas, definitions, projections } from './areas';
import { billableCommandHandlers } from './billable/billable.commands';
import { FinaliseBillablesHandler } from './billable/billable.finalise-many';
import { recordCommandHandlers } from './records/records.commands';
import { recordQueryHandlers } from './records/records.queries';
import { TenantSetup } from './tenants/tenant-setup';

/** The domain; a process loads the part that it serves. Needs PlatformModule. */
@Module({})
export class PracticeModule {
  static for(part: { writes?: boolean; reads?: boolean }): DynamicModule {
    const controllers: Type[] = [];
    const providers: Type[] = [Tenants, TenantSetup, ReachedPositions];
    for (const { write, read } of areas) {
      if (part.writes) {
        controllers.push(...write.controllers);
        providers.push(...write.handlers);
      }
      if (part.reads) {
        controllers.push(...read.controllers);
        providers.push(...(read.handlers ?? []));
      }
    }
    if (part.writes)
      providers.push(...recordCommandHandlers, ...billableCommandHandlers, FinaliseBillablesHandler);
    if (part.reads) providers.push(...recordQueryHandlers, ReadYourWrites, FollowedStore);
    refuseDuplicates(providers);
    return {
      module: PracticeModule,
      imports: [CqrsModule.forRoot(), EventStoreModule.forDefinitions(definitions)],
      controllers,
      providers: [...providers, { provide: Projections, useValue: new Projections(projections) }],
      exports: [TenantSetup, Tenants],
    };
  }
}

/** @nestjs/cqrs lets the later of two handlers of one command win, with a warning only. */
function refuseDuplicates(providers: Type[]): void {
  const seen = new Map<unknown, string>();
  for (const provider of providers) {
    const handled =
      Reflect.getMetadata('__commandHandler__', provider) ??
      Reflect.getMetadata('__queryHandler__', provider);
    if (!handled) continue;
    const other = seen.get(handled);
    if (other) throw new Error(`${other} and ${provider.name} both handle ${handled.name}`);
    seen.set(handled, provider.name);
  }
}
