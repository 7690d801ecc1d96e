import { randomBytes } from 'node:crypto';
import { freePort } from '../process';
import { brokerClassPath, canRunJars } from './broker-jars';
import { untilReady } from './broker-ready';
import { canRunDocker, pullBrokerImage, startDockerBroker } from './docker-broker';
import { startJavaBroker } from './java-broker';

/** A Kafka of one node on 127.0.0.1, or the one that KAFKA_BROKERS names. */
export interface Broker {
  /** `host:port`, separated by commas. */
  readonly brokers: string;
  /** Whether it was started here. One that others may use, too, can be neither killed nor restarted. */
  readonly own: boolean;
  /** Sends SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port with the same data. Resolves when it serves clients. */
  restart(): Promise<void>;
  /** Ends it and removes its data, unless it was not started here. */
  stop(): Promise<void>;
}

/** A way to get a broker here. */
type Source = { start(): Promise<Broker>; prepare(): Promise<unknown> };

/**
 * Starts a broker and waits until it serves clients: that of KAFKA_BROKERS, otherwise one in Docker, otherwise one from
 * Kafka's jars. It ends with this process at the latest.
 * @throws when none of the three is available
 */
export async function startBroker(): Promise<Broker> {
  const source = findSource();
  if (!source) throw new Error(nothingHere);
  return source.start();
}

/**
 * Starts a broker for a developer, never that of KAFKA_BROKERS. Its data is kept.
 * @throws when there is neither Docker nor Java with Maven
 */
export async function startKeptBroker(port: number, folder: string, volume: string): Promise<Broker> {
  if (canRunDocker()) return own(await startDockerBroker({ port, keep: volume }));
  if (canRunJars()) return own(await startJavaBroker({ port, keep: folder }));
  throw new Error(nothingHere);
}

/** A name that no other test uses: the broker of KAFKA_BROKERS may have other topics. */
export const uniqueTopic = (): string => `test-${randomBytes(8).toString('hex')}`;

/**
 * `describe` for tests that call {@link startBroker}. Without Kafka they are skipped with a message; with
 * REQUIRE_KAFKA=1 they fail.
 */
export function describeWithKafka(name: string, suite: () => void): void {
  const source = findSource();
  if (source) {
    describe(name, () => {
      beforeAll(source.prepare, 600_000); // a first run downloads
      suite();
    });
  } else if (process.env.REQUIRE_KAFKA === '1') {
    describe(name, () => {
      it('has a Kafka', () => {
        throw new Error(nothingHere);
      });
    });
  } else {
    process.stderr.write(`${name}: skipped. ${nothingHere}\n`);
    describe.skip(name, suite);
  }
}

const nothingHere = 'There is no Kafka: set KAFKA_BROKERS, or start Docker, or install Java 17 and Maven';

function findSource(): Source | undefined {
  const given = process.env.KAFKA_BROKERS;
  if (given) return { start: () => useBroker(given), prepare: async () => {} };
  if (canRunDocker())
    return {
      start: async () => own(await startDockerBroker({ port: await freePort() })),
      prepare: pullBrokerImage,
    };
  if (canRunJars())
    return {
      start: async () => own(await startJavaBroker({ port: await freePort() })),
      prepare: brokerClassPath,
    };
  return undefined;
}

const own = (broker: Omit<Broker, 'own'>): Broker => ({ ...broker, own: true });

async function useBroker(brokers: string): Promise<Broker> {
  await untilReady(brokers, () => false);
  const refuse = async () => {
    throw new Error('The broker of KAFKA_BROKERS is not ours to kill');
  };
  return { brokers, own: false, kill: refuse, restart: refuse, stop: async () => {} };
}
