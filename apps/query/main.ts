import 'reflect-metadata';
import { serveApiDescription } from '#platform/http/serve-openapi';
import { runProcess } from '#platform/run-process';
import { QueryModule } from './query.module';

void runProcess({ module: (config) => QueryModule.forRoot(config), made: serveApiDescription });
