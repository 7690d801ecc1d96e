import { allPermissions } from '#platform/auth/permissions';
import type { Config } from '#platform/config';
import { testConfig } from '../../test/support/auth-application';
import { createTestDatabase, execute, type TestDatabase } from '../../test/support/database';
import { run } from './cli';

describe('the command line', () => {
  let test: TestDatabase;
  let out: string[];
  let err: string[];

  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());
  beforeEach(() => {
    out = [];
    err = [];
  });

  /** Runs a command line, split at blanks. Two blanks in a row enclose an empty argument. */
  const cli = (line: string, config: () => Config = () => testConfig(test.url)) =>
    run(line.split(' '), { config, out: (text) => out.push(text), err: (text) => err.push(text) });

  /** Runs a command with --json. @returns its answer */
  async function json(line: string) {
    out = [];
    expect([await cli(`${line} --json`), err]).toEqual([0, []]);
    expect(out).toHaveLength(1);
    return JSON.parse(out[0]);
  }

  /** Runs a command that must be refused with a single line of output. @returns the code of the error */
  async function refused(line: string): Promise<string> {
    out = [];
    expect(await cli(`${line} --json`)).toBe(1);
    expect(out).toEqual([]);
    expect(err).toHaveLength(1);
    const { error } = JSON.parse(err.pop()!);
    expect(error.message).toMatch(/^[^\n]+$/);
    return error.code;
  }

  it('makes a tenant with settings and start data, and lists it', async () => {
    const tenant = await json('tenants create --alias acme --name Acme --region uk');
    expect(tenant).toMatchObject({
      alias: 'acme',
      name: 'Acme',
      region: 'uk',
      partition: expect.any(Number),
    });
    const listed = await json('tenants list');
    expect(listed).toEqual([{ ...tenant, createdOn: expect.any(String) }]);
    const kinds = await execute<{ kind: string }>(
      test.url,
      'select distinct kind from event_store.streams order by 1',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'division',
      'rateset',
      'role',
      'tasktype',
      'taxcode',
      'tenant',
    ]);
  });

  it('changes settings', async () => {
    expect(await json('tenants set --alias acme minutesPerUnit=10 firmName=A=B')).toMatchObject({
      alias: 'acme',
      minutesPerUnit: '10',
      firmName: 'A=B',
    });
  });

  it('says of a tenant that a crash has left without settings how to complete it', async () => {
    await execute(
      test.url,
      `insert into platform.tenants (alias, region, partition, stream_id)
       select 'half', region, partition, gen_random_uuid() from platform.tenants where alias = 'acme'`,
    );
    expect(await cli('tenants set --alias half minutesPerUnit=10')).toBe(1);
    expect(err.splice(0)).toEqual([expect.stringContaining('tenants create --alias half --name')]);
    expect(await refused('tenants set --alias half minutesPerUnit=10')).toBe('tenant_incomplete');
    expect(await json('tenants create --alias half --name Whole')).toMatchObject({ name: 'Whole' });
    expect(await json('tenants set --alias half minutesPerUnit=10')).toMatchObject({ firmName: 'Whole' });
  });

  it('makes an integration, and prints its secret once', async () => {
    const created = await json('integrations create --name One --tenant acme');
    expect(created).toEqual({
      clientId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      clientSecret: expect.stringMatching(/^[\w-]{43}$/),
      integrationId: expect.any(String),
      name: 'One',
      tenant: 'acme',
      permissions: expect.arrayContaining(['matters:read', 'reports:read']),
      limit: 100,
      period: 60,
    });
    const stored = await execute(test.url, 'select * from platform.integrations');
    expect(JSON.stringify(stored)).not.toContain(created.clientSecret);
    expect(JSON.stringify(await json('integrations list'))).not.toContain(created.clientSecret);
  });

  it('grants, narrows, revokes and rotates', async () => {
    await json('tenants create --alias other --name Other');
    const made = await json(
      'integrations create --name Two --tenant acme --limit 5 --period 10 --permissions matters:read',
    );
    expect(made).toMatchObject({ limit: 5, period: 10, permissions: ['matters:read'] });
    expect(await json('integrations grant --name Two --tenant other --permissions clients:read')).toEqual({
      tenant: 'other',
      permissions: ['clients:read'],
      limit: 100,
      period: 60,
    });
    expect(
      await json(`integrations grant --client-id ${made.clientId} --tenant acme --permissions clients:read`),
    ).toMatchObject({ tenant: 'acme', permissions: ['clients:read'], limit: 5, period: 10 });
    await json('integrations revoke --name Two --tenant acme');
    const rotated = await json('integrations rotate-secret --name Two');
    expect(rotated).toEqual({ clientId: made.clientId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
    expect(rotated.clientSecret).not.toBe(made.clientSecret);
    const list = await json('integrations list');
    expect(list.find(({ name }: { name: string }) => name === 'Two')).toMatchObject({
      revokedAt: null,
      grants: [{ tenant: 'other', permissions: ['clients:read'], limit: 100, period: 60 }],
    });
    await json('integrations revoke --name Two --everywhere');
    expect(await refused('integrations grant --name Two --tenant acme')).toBe('integration_revoked');
    expect(await refused('integrations rotate-secret --name Two')).toBe('integration_revoked');
  });

  it('does not take the alias of a tenant whose name is refused', async () => {
    expect(await refused('tenants create --alias nameless --name ')).toBe('name_invalid');
    const listed = await json('tenants list');
    expect(listed.map(({ alias }: { alias: string }) => alias)).not.toContain('nameless');
  });

  it('keeps the permissions of an existing grant, unless others are given', async () => {
    const grant = 'integrations grant --name Three --tenant acme';
    await json('integrations create --name Three --tenant acme --permissions matters:read,clients:read');
    const narrow = { permissions: ['matters:read', 'clients:read'], limit: 7, period: 60 };
    expect(await json(`${grant} --limit 1000000000`)).toMatchObject({ limit: 1_000_000_000 });
    expect(await json(`${grant} --limit 7`)).toEqual({ tenant: 'acme', ...narrow });
    await json('integrations revoke --name Three --tenant acme');
    expect((await json(grant)).permissions).toEqual([...allPermissions]);
  });

  it('grants each permission once, and quotes one that it does not know', async () => {
    const twice = 'integrations create --name Four --tenant acme --permissions matters:read,matters:read';
    expect((await json(twice)).permissions).toEqual(['matters:read']);
    expect(await cli(`${twice},`)).toBe(1);
    expect(err).toEqual(['There is no permission "".']);
  });

  it('takes the client id and secret of the demo set-up', async () => {
    const line = 'integrations create --name Demo --tenant acme --client-id demo --client-secret demo-secret';
    expect(await json(line)).toMatchObject({ clientId: 'demo', clientSecret: 'demo-secret' });
    expect(await refused(line)).toBe('client_id_taken');
  });

  it('rotates and lists keys', async () => {
    const first = await json('keys rotate');
    const second = await json('keys rotate');
    const list = await json('keys list');
    expect(list.map(({ kid }: { kid: string }) => kid)).toEqual([second.kid, first.kid]);
    expect(list[0].retiredAt).toBeNull();
    expect(list[1].acceptedUntil).not.toBeNull();
    expect(JSON.stringify(list)).not.toContain('rivate');
  });

  it.each([
    ['tenants create --alias acme --name Again', 'alias_taken'],
    ['tenants create --alias UPPER --name X', 'alias_invalid'],
    ['tenants create --alias docs --name X', 'alias_reserved'],
    ['tenants create --alias health --name X', 'alias_reserved'],
    ['tenants create --alias acme--staging --name X', 'alias_reserved'],
    ['tenants create --alias north--south --name X', 'alias_reserved'],
    ['tenants create --alias sydney --name X --region au', 'region_mismatch'],
    ['tenants create --alias x', 'usage'],
    ['tenants set --alias acme nonsense', 'usage'],
    ['tenants set --alias acme colour=red', 'unknown_setting'],
    ['tenants set --alias nobody firmName=X', 'tenant_not_found'],
    ['tenants create --alias nameless --name ', 'name_invalid'],
    ['tenants create --alias nameless --name a\nb', 'name_invalid'],
    ['tenants set --alias acme constructor=1', 'unknown_setting'],
    ['tenants set --alias acme __proto__=1', 'unknown_setting'],
    ['integrations create --name X --tenant nobody', 'tenant_not_found'],
    ['integrations create --tenant acme --name ', 'name_invalid'],
    ['integrations create --tenant acme --name a\u001b[31m', 'name_invalid'],
    [`integrations create --tenant acme --name ${'x'.repeat(201)}`, 'name_invalid'],
    ['integrations create --name X --tenant acme --permissions matters:fly', 'permission_unknown'],
    ['integrations create --name X --tenant acme --limit 0', 'limit_invalid'],
    ['integrations create --name X --tenant acme --limit 1000000001', 'limit_invalid'],
    ['integrations create --name X --tenant acme --limit ten', 'usage'],
    ['integrations grant --tenant acme', 'usage'],
    ['integrations grant --name nobody --tenant acme', 'integration_not_found'],
    ['integrations revoke --name One', 'usage'],
    ['integrations revoke --name One --tenant other', 'grant_not_found'],
    ['tenants', 'usage'],
    ['nonsense', 'usage'],
    ['tenants list --nonsense', 'usage'],
  ])('refuses: %s', async (line, code) => {
    expect(await refused(line)).toBe(code);
  });

  it('asks for the client id when several integrations have the same name', async () => {
    await json('integrations create --name Same --tenant acme');
    await json('integrations create --name Same --tenant acme');
    expect(await refused('integrations rotate-secret --name Same')).toBe('integration_ambiguous');
  });

  it('prints lines and tables for people, and one line for a refusal', async () => {
    expect(await cli('tenants list')).toBe(0);
    expect(out[0]).toMatch(/^alias +region +partition +createdOn +name\nacme +uk +\d+ +20.*Z +A=B$/m);
    out = [];
    expect(await cli('integrations list')).toBe(0);
    expect(out[0]).toContain('acme (100 in 60 s)');
    expect(await cli('tenants create --alias acme --name Again')).toBe(1);
    expect(await cli('tenants lst')).toBe(1);
    expect(err).toEqual([
      'A tenant with the alias acme exists already.',
      "unknown command 'lst' (Did you mean list?)",
    ]);
  });

  it('prints its help', async () => {
    expect(await cli('integrations create --help')).toBe(0);
    expect(out.join('\n')).toContain('--permissions');
    expect(out.join('\n')).not.toContain('--client-secret');
    expect(await cli('tenants set --help')).toBe(0);
    expect(out.join('\n')).toMatch(/^ +settings +each as key=value$/m);
  });

  it('acts for the region that the deployment was installed with', async () => {
    const config = () => Object.assign(testConfig(test.url), { REGION: 'au' });
    expect(await cli('tenants create --alias leeds --name Leeds --json', config)).toBe(0);
    expect(JSON.parse(out[0])).toMatchObject({ region: 'uk' });
  });
});
