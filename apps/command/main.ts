import 'reflect-metadata';
import { serveApiDescription } from '#platform/http/openapi/serve-openapi';
import { runProcess } from '#platform/process/run-process';
import { ContentStorage } from '#platform/storage/content-storage';
import { CommandModule } from './command.module';

void runProcess({
  module: (config) => CommandModule.forRoot(config),
  withoutReadModels: true,
  made: async (app) => {
    serveApiDescription(app);
    await app.get(ContentStorage).requireWritable();
  },
});
