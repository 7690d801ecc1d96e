import 'reflect-metadata';
import { Housekeeping } from '#event-store/housekeeping';
import { runProcess } from '#platform/run-process';
import { ProjectionRunner } from '#projections/projection-runner';
import { ProjectorModule } from './projector.module';

void runProcess({
  module: (config) => ProjectorModule.forRoot(config),
  listening: async (app) => {
    app.get(ProjectionRunner, { strict: false }).start();
    app.get(Housekeeping, { strict: false }).start();
  },
});
