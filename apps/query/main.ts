import 'reflect-metadata';
import { serveApiDescription } from '#platform/http/openapi/serve-openapi';
import { runProcess } from '#platform/process/run-process';
import { FollowedStore } from '#projections/followed-store';
import { QueryModule } from './query.module';

void runProcess({
  module: (config) => QueryModule.forRoot(config),
  made: async (app) => {
    serveApiDescription(app);
    await app.init();
    await app.get(FollowedStore).verify();
  },
});
