import 'reflect-metadata';
import { KafkaPublisher } from '#event-bus/kafka/kafka-publisher';
import { runProcess } from '#platform/process/run-process';
import { FollowedStore } from '#projections/followed-store';
import { ProjectionRunner } from '#projections/projection-runner';
import { ReturningTenants } from '#projections/rebuild/returning-tenants';
import { UnfinishedRebuilds } from '#projections/rebuild/unfinished-rebuilds';
import { ProjectorModule } from './projector.module';

void runProcess({
  module: (config) => ProjectorModule.forRoot(config),
  made: async (app) => {
    await app.init();
    await app.get(FollowedStore).verify();
  },
  listening: async (app) => {
    await app.get(KafkaPublisher).start();
    app.get(ProjectionRunner).start();
    app.get(UnfinishedRebuilds).start();
    app.get(ReturningTenants).start();
  },
});
