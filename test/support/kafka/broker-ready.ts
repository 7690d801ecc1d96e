import { Kafka, logLevel } from 'kafkajs';
import { waitFor } from '../wait-for';

/**
 * Waits until brokers serve clients.
 * @param brokers `host:port`, separated by commas
 * @param hasEnded whether there is nothing to wait for any more
 * @throws when it has ended, or does not answer within a minute
 */
export async function untilReady(brokers: string, hasEnded: () => boolean): Promise<void> {
  await waitFor(() => hasEnded() || answers(brokers), {
    description: `Kafka at ${brokers}`,
  });
  if (hasEnded()) throw new Error(`Kafka at ${brokers} has ended`);
}

async function answers(brokers: string): Promise<boolean> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING, retry: { retries: 0 } });
  const admin = kafka.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.length > 0;
  } catch {
    return false; // not listening yet
  } finally {
    await admin.disconnect();
  }
}
