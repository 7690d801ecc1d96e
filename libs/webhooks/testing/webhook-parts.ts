import { randomUUID } from 'node:crypto';
import { StoreEventBus } from '#event-bus/store-event-bus';
import { ClosedTenants } from '#event-store/closed-tenants';
import type { Written } from '#event-store/event-store';
import { TenantFeed } from '#event-store/feed/tenant-feed';
import type { Clock } from '#kernel/clock';
import { toUuid } from '#kernel/ids';
import { allPermissions } from '#platform/auth/permissions';
import { Health } from '#platform/observability/health';
import type { RequestContext } from '#platform/request-context';
import { Secrets } from '#platform/secrets';
import { definitions } from '#practice/areas';
import { CreateDivision, CreateDivisionHandler } from '#practice/divisions/division.commands';
import { allProjections } from '#practice/testing/projected-firms';
import { projectionParts } from '#projections/testing/parts';
import { createContext, createTestStore } from '../../../test/support/store';
import { Attempt } from '../delivery/attempt';
import { Rendering } from '../delivery/bodies/rendering';
import { DeliverySettings } from '../delivery/delivery-settings';
import { Dispatcher } from '../delivery/dispatcher';
import { FailureWatch } from '../delivery/failure-watch';
import { DueDeliveries } from '../delivery/lanes/due-deliveries';
import { LaneLeases } from '../delivery/lanes/lane-leases';
import { LeasedLanes } from '../delivery/lanes/leased-lanes';
import { Outcomes } from '../delivery/outcomes';
import { QueuePools } from '../delivery/queue-pools';
import { CreateWebhook, CreateWebhookHandler } from '../endpoints/endpoint.commands';
import type { WebhookInput } from '../endpoints/endpoint.input';
import { Subscriptions, targetRulesOf } from '../endpoints/subscription';
import { ErasedAnswers } from '../log/erased-answers';
import { WebhookPruning } from '../log/pruning';
import { Sender } from '../protocol/sender';
import { FanOut } from '../queue/fan-out';
import { QueueSignal } from '../queue/queue-signal';
import { Replays } from '../queue/replays';
import { WebhookRequests } from '../webhook-requests';

type Sending = Pick<Sender, 'send'>;

interface Standing {
  enabled: boolean;
  disabled_at: Date | null;
  failures: number;
  failing_since: Date | null;
}

interface Logged {
  state: number;
  attempts: number;
  error: string | null;
}

/** The parts that webhooks are made of, over a store of the test's own, with read models. */
export async function openWebhooks(clock: Clock) {
  const store = await createTestStore(definitions, clock);
  Object.assign(store.config, { WEBHOOKS_ALLOW_INSECURE: 'true' });
  const secrets = new Secrets(store.config.secretsKey);
  const bus = new StoreEventBus(store.config, store.feed, new Health());
  const otherBus = new StoreEventBus(store.config, store.feed, new Health());
  const projections = projectionParts(store, allProjections);
  const requests = new WebhookRequests(store.writes, secrets, clock, new ClosedTenants(store.writes));
  const signal = new QueueSignal(store.writes, store.config);
  const watch = new FailureWatch(store.writes, signal, clock);
  const answers = new ErasedAnswers(store.writes, clock);
  const dispatchers: Dispatcher[] = [];
  const grant = ({ tenant, integrationId, permissions }: RequestContext) =>
    store.writes.pool.query(
      `with i as (insert into platform.integrations (id, client_id, name, secret_hash) values ($1, $2, 'Test', '-'))
       insert into platform.grants (tenant_id, integration_id, permissions) values ($3, $1, $4)`,
      [integrationId, integrationId, tenant.id, [...permissions]],
    );
  return {
    store,
    requests,
    signal,
    watch,
    feed: new TenantFeed(store.writes, store.codec),

    /** Builds the read models from now on. */
    project: () => projections.runner.start(),

    subscriptions: new Subscriptions(store.config, secrets),
    replays: new Replays(store.writes, new TenantFeed(store.writes, store.codec), signal, clock),
    pruning: new WebhookPruning(store.writes, watch, requests, clock, store.config, answers),
    answers,
    fanOut: new FanOut(bus, store.writes, signal, clock, answers),
    /** The fan-out of another worker. */
    otherFanOut: new FanOut(otherBus, store.writes, signal, clock, answers),

    /** The dispatcher of a further worker, which is not started yet. */
    dispatcher(
      sender: Sending = new Sender(targetRulesOf(store.config)),
      given: Partial<DeliverySettings> = {},
    ) {
      const settings = Object.assign(new DeliverySettings(), given);
      const pools = new QueuePools(store.config);
      const leases = new LaneLeases(pools, settings);
      const dispatcher = new Dispatcher(
        new LeasedLanes(leases, signal, clock, settings),
        new DueDeliveries(pools),
        new Rendering(pools, store.writes, settings),
        new Attempt(sender as Sender, secrets, clock, settings),
        new Outcomes(pools, leases, clock),
        watch,
        signal,
        pools,
        clock,
        settings,
      );
      dispatchers.push(dispatcher);
      return dispatcher;
    },

    /** Makes a tenant, and an integration with these permissions in it. */
    async tenant(permissions: readonly string[] = allPermissions): Promise<RequestContext> {
      const context = await createContext(store, { permissions: new Set(permissions) });
      await grant(context);
      return context;
    },

    /** Makes another integration in a tenant, with the same permissions. */
    async integration(context: RequestContext): Promise<RequestContext> {
      const other = { ...context, integrationId: randomUUID() };
      await grant(other);
      return other;
    },

    /** Creates a webhook. @returns its UUID */
    async hook(context: RequestContext, fields: Partial<WebhookInput> = {}): Promise<string> {
      const body = { url: 'https://hooks.example.com/in', events: ['division.*'], ...fields };
      const handler = new CreateWebhookHandler(requests, new Subscriptions(store.config, secrets));
      const { body: answer } = await handler.execute(new CreateWebhook(context, body));
      return toUuid((answer as { data: { id: string } }).data.id);
    },

    /** Records an event of the tenant. */
    async event(context: RequestContext, name = 'Probate'): Promise<Written> {
      return new CreateDivisionHandler(store.store).execute(new CreateDivision(context, { name }));
    },

    async sql<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      return (await store.writes.pool.query<Row>(text, values)).rows;
    },

    /** Whether a webhook is enabled, and how its receiver fares. */
    async standing(webhook: string) {
      const { rows } = await store.writes.pool.query<Standing>(
        `select e.enabled, e.disabled_at, l.failures, l.failing_since from webhooks.endpoints e
         join webhooks.lanes l on l.tenant_id = e.tenant_id and l.webhook_id = e.id where e.id = $1`,
        [webhook],
      );
      return rows[0];
    },

    /** The deliveries of a webhook in the log, the oldest event first. */
    async deliveries(webhook: string) {
      const { rows } = await store.writes.pool.query<Logged>(
        'select state, attempts, error from webhooks.deliveries where webhook_id = $1 order by event_id',
        [webhook],
      );
      return rows;
    },

    async close(): Promise<void> {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.onApplicationShutdown()));
      await bus.onApplicationShutdown();
      await otherBus.onApplicationShutdown();
      await answers.onApplicationShutdown();
      await projections.bus.onApplicationShutdown();
      signal.onApplicationShutdown();
      await store.close();
    },
  };
}

export type Webhooks = Awaited<ReturnType<typeof openWebhooks>>;
