import 'reflect-metadata';
import { Housekeeping } from '#event-store/housekeeping';
import { Sealing } from '#event-store/seals/sealing';
import { ImportWorker } from '#import/import-worker';
import { PromotionWorker } from '#import/promotion/promotion-worker';
import { runProcess } from '#platform/process/run-process';
import { DocumentSweep } from '#practice/documents/document.sweep';
import { WebhooksWorker } from '#webhooks/webhooks-worker';
import { WorkerModule } from './worker.module';

void runProcess({
  module: (config) => WorkerModule.forRoot(config),
  listening: async (app) => {
    app.get(Housekeeping).start();
    app.get(Sealing).start();
    app.get(DocumentSweep).start();
    app.get(WebhooksWorker).start();
    app.get(ImportWorker).start();
    app.get(PromotionWorker).start();
  },
});
