import { execFile, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { kafkaVersion } from './broker-jars';
import { untilReady } from './broker-ready';
import { brokerSettings } from './broker-settings';

const image = `apache/kafka:${kafkaVersion}`;
/** A volume that the image's user may write to. */
const dataDir = '/var/lib/kafka/data';

const docker = (...args: string[]) => promisify(execFile)('docker', args);

/** Whether Docker's engine answers. */
export function canRunDocker(): boolean {
  return spawnSync('docker', ['info']).status === 0;
}

/** Pulls the broker's image if it is missing. */
export async function pullBrokerImage(): Promise<void> {
  if (spawnSync('docker', ['image', 'inspect', image]).status !== 0) await docker('pull', '--quiet', image);
}

/**
 * Runs Kafka in a container that is removed when this process ends, even if it is killed.
 * @param keep the volume for its data, which is kept
 * @throws with Kafka's log when it does not start
 */
export async function startDockerBroker({ port, keep }: { port: number; keep?: string }) {
  await pullBrokerImage();
  const name = `practice-kafka-${randomBytes(6).toString('hex')}`;
  const settings = brokerSettings({ host: '0.0.0.0', port, controllerPort: 29093, dataDir });
  const environment = Object.entries(settings).flatMap(([key, value]) => [
    '--env',
    `KAFKA_${key.toUpperCase().replaceAll('.', '_')}=${value}`,
  ]);

  // This process outlives ours when ours is killed, and then removes the container.
  const remover = spawn('sh', ['-c', 'cat; docker rm --force --volumes "$1"', 'sh', name], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const removed = once(remover, 'exit');

  const brokers = `127.0.0.1:${port}`;
  async function ready(): Promise<void> {
    try {
      await untilReady(brokers, () => false);
    } catch (error) {
      const { stdout, stderr } = await docker('logs', name);
      throw new Error(`${(error as Error).message}; its log:\n${stdout}${stderr}`);
    }
  }
  async function kill(): Promise<void> {
    await docker('kill', name);
    await docker('wait', name);
  }
  async function restart(): Promise<void> {
    await docker('restart', '-t', '0', name);
    await ready();
  }
  async function stop(): Promise<void> {
    remover.stdin.end();
    await removed;
  }

  try {
    const volume = keep ? ['--volume', `${keep}:${dataDir}`] : [];
    const published = ['--publish', `127.0.0.1:${port}:${port}`];
    await docker('run', '--detach', '--name', name, ...published, ...volume, ...environment, image);
    await ready();
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers, kill, restart, stop };
}
