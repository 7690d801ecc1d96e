import { waitFor } from '../support/wait-for';
import { Office } from './office';
import { expectProblem } from './refusals';

let office: Office;
beforeAll(async () => {
  office = await Office.open({ REGION: 'au' });
});
afterAll(() => office.close());

describe('GET /tenants', () => {
  it('returns the tenant of the address with the settings of its region', async () => {
    const api = await office.tenant('sydney');
    expect((await api.get('tenants')).body).toEqual({
      success: true,
      data: {
        id: expect.stringMatching(/^tenant_[0-9a-f]{32}$/),
        alias: 'sydney',
        firmName: 'Firm sydney',
        region: 'au',
        currency: 'AUD',
        timeZone: 'Australia/Sydney',
        taxScheme: 'GST',
        financialYearStart: 7,
        minutesPerUnit: 6,
        unitRounding: 'Up',
        autoFinaliseWorkItems: true,
        lastImport: null,
      },
    });
  });

  it('shows what the operator sets', async () => {
    const api = await office.tenant('perth', ['minutesPerUnit=15', 'unitRounding=Nearest']);
    expect(await api.data('GET', 'tenants')).toMatchObject({ minutesPerUnit: 15, unitRounding: 'Nearest' });
    await office.cli(
      'tenants',
      'set',
      '--alias',
      'perth',
      'firmName=Perth & Sons',
      'timeZone=Australia/Perth',
    );
    await waitFor(async () => (await api.data('GET', 'tenants')).firmName === 'Perth & Sons', {
      description: 'the name that the operator has set',
    });
    expect(await api.data('GET', 'tenants')).toMatchObject({ timeZone: 'Australia/Perth' });
  });

  it('requires its permission', async () => {
    const terms = ['--permissions', 'matters:read'];
    const api = await office.caller('perth', await office.integration('perth', terms));
    const refused = await api.get('tenants');
    expectProblem(refused, 403, 'permission_denied');
    expect(refused.body.detail).toContain('tenants:read');
  });

  it('can be created only for the region of the deployment', async () => {
    const wrong = office.cli('tenants', 'create', '--alias', 'leeds', '--name', 'L', '--region', 'uk');
    await expect(wrong).rejects.toThrow(/region_mismatch/);
    const demo = await office.caller('demo', { clientId: 'demo-client', clientSecret: 'demo-secret' });
    expect((await demo.get('tenants')).body.data).toMatchObject({
      alias: 'demo',
      region: 'au',
      currency: 'AUD',
    });
  });
});
