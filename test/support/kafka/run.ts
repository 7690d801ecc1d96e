/**
 * npm run kafka [-- PORT]: a Kafka for development, in the foreground. Its data is kept in .data/kafka (with Docker, in
 * the volume practice-kafka).
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { startKeptBroker } from './broker';

async function main(): Promise<void> {
  const port = Number(process.argv[2] ?? 9092);
  if (!Number.isInteger(port) || port < 1 || port > 65535) throw new Error('Usage: npm run kafka [-- PORT]');
  await refuseTaken(port);
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const broker = await startKeptBroker(port, join(__dirname, '../../../.data/kafka'), 'practice-kafka');
  console.log(`Kafka runs; Ctrl-C stops it.\n\nEVENT_BUS=kafka\nKAFKA_BROKERS=${broker.brokers}\n`);
  await interrupted;
  await broker.stop();
}

async function refuseTaken(port: number): Promise<void> {
  const server = createServer();
  await once(server.listen(port, '127.0.0.1'), 'listening');
  await once(server.close(), 'close');
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
