import 'reflect-metadata';
import { runProcess } from '#platform/run-process';
import { QueryModule } from './query.module';

void runProcess({ module: (config) => QueryModule.forRoot(config) });
