import { SystemClock } from '#kernel/clock';
import { newId } from '#kernel/ids';
import { Role } from '#practice/roles/role';
import { allProjections } from '#practice/testing/projected-firms';
import { projectionParts } from '#projections/testing/parts';
import { waitFor } from '../../../test/support/wait-for';
import { ScriptedSender } from '../testing/scripted-sender';
import { openWebhooks, type Webhooks } from '../testing/webhook-parts';

const URL = 'https://hooks.example.com/in';
const EVENTS = 20;

let hooks: Webhooks;
const sender = new ScriptedSender(() => ({ status: 204 }));

beforeAll(async () => {
  hooks = await openWebhooks(new SystemClock());
  hooks.fanOut.start();
  hooks.dispatcher(sender, { ahead: 8 }).start();
});
afterAll(() => hooks.close());

it('a read model that stands still holds up only messages that are made from it', async () => {
  const told = () => sender.to(URL).map(({ body }) => body.data.id);
  const context = await hooks.tenant();
  await hooks.hook(context, { url: URL, events: ['division.*', 'role.*'] });
  for (let number = 0; number < EVENTS; number++) await hooks.event(context, `D${number}`);
  const role = newId('role');
  const data = { name: 'Guardian', kind: 'Custom', externalReference: null, referenceOwner: null };
  await hooks.store.store.execute(context, async (work) =>
    work.create(Role, role, [{ type: 'RoleCreated', data }]),
  );
  const rolesAlone = allProjections.filter(({ name }) => name === 'roles');
  const { bus, runner } = projectionParts(hooks.store, rolesAlone);
  runner.start();
  try {
    await waitFor(() => told().length > 0, { description: 'the message of the role' });
  } finally {
    await bus.onApplicationShutdown();
  }
  expect(told()).toEqual([role]);

  hooks.project();
  await waitFor(() => told().length > EVENTS, { description: 'the messages of the divisions' });
  expect(new Set(told()).size).toBe(EVENTS + 1);
});
