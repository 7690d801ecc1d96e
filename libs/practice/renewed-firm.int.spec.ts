import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventStoreModule } from '#event-store/event-store.module';
import { History } from '#event-store/history';
import { PlatformModule } from '#platform/platform.module';
import type { RequestContext } from '#platform/request-context';
import { HeldTenants } from '#projections/held-tenants';
import { live } from '#projections/live';
import { ProjectionsModule } from '#projections/projections.module';
import { TenantRenewal } from '#projections/rebuild/tenant-renewal';
import { definitions } from './areas';
import { createFirm } from './testing/firm';
import { liveFirm } from './testing/firm-life';
import { allProjections, type Firms, openFirms } from './testing/projected-firms';

describe('a firm whose records are shown all at once by a renewal', () => {
  let firms: Firms;
  let context: RequestContext;
  /** The application of a process that only renews. */
  let app: INestApplicationContext;

  beforeAll(async () => {
    firms = await openFirms(1);
    context = await createFirm(firms.store);
    await firms.settled();
    app = await NestFactory.createApplicationContext(
      {
        module: class Renewing {},
        imports: [
          PlatformModule.forRoot(firms.store.config),
          EventStoreModule.forDefinitions(definitions),
          ProjectionsModule.forRenewal(allProjections),
        ],
      },
      { logger: false },
    );
  });
  afterAll(async () => {
    await app.close();
    await firms.close();
  });

  /** The number of rows of a firm that readers find in every table, asked in one statement. */
  const found = async ({ tenant }: RequestContext): Promise<Record<string, number>> => {
    const counts = allProjections.flatMap(({ name, tables }) =>
      tables.map(
        (table) =>
          `(select count(*)::int from read_model.${table.name} t where ${live(name, 't', '$1')}) as ${table.name}`,
      ),
    );
    return (await firms.sql<Record<string, number>>(`select ${counts.join(', ')}`, [tenant.id]))[0];
  };

  it('is read without the records or with all of them, and afterwards like any other firm', async () => {
    const tenant = await firms.parts.tenants.get(context.tenant.alias);
    const before = await found(context);
    expect(Object.values(before).filter((count) => count > 0)).toEqual([1]);
    await app.get(HeldTenants).hold(tenant);

    const seen: Record<string, number>[] = [];
    let reading = true;
    const reader = (async () => {
      for (let isLast = false; !isLast; ) {
        isLast = !reading;
        seen.push(await found(context));
      }
    })();
    await liveFirm(firms.store.store, context);
    await firms.settled();
    const streams = jest.spyOn(History.prototype, 'streams');
    await app.get(TenantRenewal).renew(tenant);
    expect(streams).toHaveBeenCalledTimes(1);
    const after = await found(context);
    reading = false;
    await reader;
    expect(new Set(seen.map((counts) => JSON.stringify(counts)))).toEqual(
      new Set([before, after].map((counts) => JSON.stringify(counts))),
    );
    expect(after).toEqual(await found(firms.contexts[0]));
    await app.get(HeldTenants).release(tenant);
    await app.get(TenantRenewal).sweep();

    const id = await firms.createDivision(context, 'Later');
    await firms.rename(context, id, 'Later still');
    await firms.settled();
    expect(await found(context)).toEqual({ ...after, divisions: after.divisions + 1 });
    for (const { name } of allProjections)
      expect(await firms.parts.audit.audit(name, { tenant: tenant.alias })).toMatchObject({ differing: 0 });
    for (const reconciled of await firms.parts.reconciliation.run(tenant.alias))
      expect(reconciled).toMatchObject({ differing: 0 });
  });
});
