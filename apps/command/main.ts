import 'reflect-metadata';
import { runProcess } from '#platform/run-process';
import { CommandModule } from './command.module';

void runProcess({ module: (config) => CommandModule.forRoot(config) });
