import 'reflect-metadata';
import { runProcess } from '#platform/run-process';
import { ProjectionRunner } from '#projections/projection-runner';
import { ProjectorModule } from './projector.module';

void runProcess({
  module: (config) => ProjectorModule.forRoot(config),
  listening: async (app) => app.get(ProjectionRunner, { strict: false }).start(),
});
