import type { Provider } from '@nestjs/common';
import { Tenants } from '#platform/auth/tenants';
import { areas } from '#practice/areas';
import { Projections } from '#projections/projections';
import { ReachedPositions } from '#projections/reached-positions';
import { ExistingRecords } from '../records/existing-records';
import { Loading } from './loading';
import { StagingTenants } from './staging-tenants';

/** What loads imports in a process; needs PlatformModule and EventStoreModule. */
export const loadingProviders: Provider[] = [
  Tenants,
  ExistingRecords,
  StagingTenants,
  ReachedPositions,
  // Those whose rows a customer reads.
  {
    provide: Projections,
    useFactory: () => new Projections(areas.flatMap(({ projections }) => projections)),
  },
  Loading,
];
