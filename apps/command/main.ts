import 'reflect-metadata';
import { serveApiDescription } from '#platform/http/serve-openapi';
import { runProcess } from '#platform/run-process';
import { CommandModule } from './command.module';

void runProcess({
  module: (config) => CommandModule.forRoot(config),
  withoutReadModels: true,
  made: serveApiDescription,
});
