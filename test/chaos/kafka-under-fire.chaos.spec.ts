import { randomInt } from 'node:crypto';
import { type Broker, describeWithKafka, startBroker, uniqueTopic } from '../support/kafka/broker';
import { waitFor } from '../support/wait-for';
import { Deployment } from './deployment';
import { EventTopic } from './event-topic';
import { Fight } from './fight';
import { Firms, tenants } from './firms';
import { expectIntact } from './intact';
import { Ledger } from './ledger';
import { LOADED_MS } from './loaded';
import { type Misfortune, misfortunes } from './misfortunes';
import { Outages } from './outages';
import { Pace } from './pace';
import { publisherPid } from './publisher-pid';
import { Random } from './random';
import { expectReads } from './reads';
import { standing } from './standing';
import { expectStored } from './stored';

/**
 * Two of each process, connected by Kafka. Projectors, the broker and the topic are lost while everybody writes and
 * reads, and no request may fail. CHAOS_SEED=… repeats the same choices.
 */
const EVENTS = 20_000;
const COPIES = { command: 2, query: 2, projector: 2 };
const PARTITIONS = 12;
/** Events that are written while there is no broker. */
const WITHOUT_BROKER = 500;
/** Events that must come through Kafka after each misfortune: more than can have been on their way before it. */
const THROUGH_KAFKA = 500;
/** Slow enough for the work to last until the last misfortune. A duty makes about two events. */
const DUTIES_PER_SECOND = 200;
const seed = Number(process.env.CHAOS_SEED ?? randomInt(2 ** 31));

describeWithKafka('Kafka under fire', () => {
  const ledger = new Ledger();
  const outages = new Outages(); // stays empty: clients must notice nothing
  let broker: Broker;
  let topic: EventTopic;
  let deployment: Deployment;
  let tokens: Map<string, string>;
  let passed = false;

  beforeAll(async () => {
    broker = await startBroker();
    const name = uniqueTopic();
    deployment = await Deployment.start(COPIES, {
      EVENT_BUS: 'kafka',
      KAFKA_BROKERS: broker.brokers,
      KAFKA_TOPIC: name,
      PARTITIONS: String(PARTITIONS),
    });
    topic = await EventTopic.of(broker.brokers, name, PARTITIONS, deployment.url);
    tokens = await deployment.openTenants(tenants);
    await deployment.caughtUp();
  });

  afterAll(async () => {
    if (!passed) console.error(`CHAOS_SEED=${seed}\n${(await deployment?.complaints()) ?? ''}`);
    try {
      if (deployment) expect(await deployment.stop()).toEqual([0, 0, 0, 0, 0, 0]);
    } finally {
      await broker?.stop();
    }
  });

  /** The number of events that the running projectors have received from Kafka. */
  async function arrived(): Promise<number> {
    const counts = await deployment.measure(
      'projector',
      /^event_bus_events_total\{.*source="kafka".*\} (.*)$/gm,
    );
    return counts.reduce((sum, count) => sum + count, 0);
  }

  /** Kills any projector three times, and the publishing one, the broker and the topic once each. */
  function strikes(firms: Firms, random: Random, lost: AbortSignal): Misfortune[] {
    const until = (condition: () => boolean | Promise<boolean>, description: string) =>
      waitFor(async () => lost.aborted || condition(), { timeoutMs: LOADED_MS, description });

    /** Resolves when events come through Kafka again, not only from the store, and everybody can read them. */
    const survived = (strike: () => Promise<unknown>) => async () => {
      try {
        await strike();
        const wanted = (await arrived()) + THROUGH_KAFKA;
        await until(async () => (await arrived()) >= wanted, 'events to come through Kafka again');
        await firms.seen(lost);
      } catch (error) {
        const stands = await standing(deployment, broker.brokers, topic);
        throw new Error(`${strike.name}: ${(error as Error).message}\n${stands}`, { cause: error });
      }
    };
    /** Kills a projector and waits until its partitions are assigned again. */
    const killProjector = async (copy: number) => {
      const before = await topic.shared(COPIES.projector);
      await deployment.kill('projector', copy);
      await topic.shared(COPIES.projector, before);
    };
    const killAnyProjector = () => killProjector(random.below(COPIES.projector));
    const killPublisher = async () => {
      const pids = await deployment.pidsOf('projector');
      await killProjector(pids.indexOf(await publisherPid(deployment.url)));
    };
    const loseBroker = async () => {
      await broker.kill();
      const written = ledger.events + WITHOUT_BROKER;
      await until(() => ledger.events >= written, 'writes that go on without a broker');
      await broker.restart();
    };
    const loseTopic = () => topic.recreate();
    const all = [killAnyProjector, killAnyProjector, killAnyProjector, killPublisher, loseTopic];
    if (broker.own) all.push(loseBroker);
    return all.map(survived);
  }

  it('loses and duplicates nothing while projectors, the broker and the topic are lost', async () => {
    const firms = await Firms.open(deployment, tokens, ledger, outages, seed);
    const fight = new Fight();
    const { lost } = fight;
    const random = new Random(seed);
    const done = () => ledger.events / EVENTS;
    let struck = false;

    const all = strikes(firms, random, lost);
    fight.join(misfortunes(all, { random, done, lost }).then(() => (struck = true)));
    firms.work(fight, () => struck && done() >= 1, new Pace(DUTIES_PER_SECOND));
    await fight.over();
    for (const { looks } of firms.readers) expect(looks).toBeGreaterThan(10);
    await deployment.caughtUp();

    await expectStored(deployment.url, ledger);
    await expectReads(firms.askers, ledger);
    await expectIntact(deployment.env);
    passed = true;
  }, 900_000);
});
