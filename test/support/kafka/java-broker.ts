import { execFile, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../process';
import { brokerClassPath } from './broker-jars';
import { untilReady } from './broker-ready';
import { brokerSettings } from './broker-settings';

/** A small heap and a fast start. Warnings go to the log. */
const javaOptions = [
  '-Xmx384m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/**
 * Runs Kafka's jars in a process that ends with this one, even if this one is killed.
 * @param keep the folder for its data, which is kept; without it a folder is created, and removed at the end
 * @throws with Kafka's log when it does not start
 */
export async function startJavaBroker({ port, keep }: { port: number; keep?: string }) {
  const java = [...javaOptions, '-cp', await brokerClassPath()];
  if (keep) mkdirSync(keep, { recursive: true });
  const folder = keep ?? mkdtempSync(join(tmpdir(), `practice-kafka-${process.pid}-`));
  const dataDir = join(folder, 'data');
  const properties = join(folder, 'server.properties');
  const log = join(folder, 'kafka.log');

  const keeper = fork(
    require.resolve('./keep-broker.cjs'),
    [keep ? '' : folder, log, ...java, 'kafka.Kafka', properties],
    { detached: true, stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] },
  );
  const exited = once(keeper, 'exit');
  let running = false;
  let ended = Promise.resolve();

  const brokers = `127.0.0.1:${port}`;
  async function start(): Promise<void> {
    writeFileSync(log, '');
    running = true;
    ended = Promise.race([once(keeper, 'message'), exited]).then(() => {
      running = false;
    });
    keeper.send('start');
    try {
      await untilReady(brokers, () => !running);
    } catch (error) {
      throw new Error(`${(error as Error).message}; its log:\n${readFileSync(log, 'utf8')}`);
    }
  }
  async function kill(): Promise<void> {
    if (!running) return;
    keeper.send('kill');
    await ended;
  }
  async function restart(): Promise<void> {
    await kill();
    await start();
  }
  async function stop(): Promise<void> {
    if (keeper.connected) keeper.disconnect();
    await exited;
  }

  try {
    const settings = brokerSettings({ host: '127.0.0.1', port, controllerPort: await freePort(), dataDir });
    writeFileSync(
      properties,
      Object.entries(settings)
        .map((pair) => `${pair.join('=')}\n`)
        .join(''),
    );
    if (!existsSync(join(dataDir, 'meta.properties'))) await format(java, properties);
    await start();
  } catch (error) {
    await stop();
    throw error;
  }
  return { brokers, kill, restart, stop };
}

async function format(java: string[], properties: string): Promise<void> {
  const clusterId = randomBytes(16).toString('base64url');
  await promisify(execFile)('java', [
    ...java,
    'kafka.tools.StorageTool',
    'format',
    `--cluster-id=${clusterId}`, // one argument, because the id may begin with a dash
    `--config=${properties}`,
  ]);
}
