import 'reflect-metadata';
import { Housekeeping } from '#event-store/housekeeping';
import { Sealing } from '#event-store/seals/sealing';
import { runProcess } from '#platform/run-process';
import { ProjectionRunner } from '#projections/projection-runner';
import { UnfinishedRebuilds } from '#projections/unfinished-rebuilds';
import { ProjectorModule } from './projector.module';

void runProcess({
  module: (config) => ProjectorModule.forRoot(config),
  listening: async (app) => {
    app.get(ProjectionRunner, { strict: false }).start();
    app.get(Housekeeping, { strict: false }).start();
    app.get(UnfinishedRebuilds, { strict: false }).start();
    app.get(Sealing, { strict: false }).start();
  },
});
