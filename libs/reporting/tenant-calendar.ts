import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '#kernel/clock';
import { DomainError } from '#kernel/errors';
import { ReadDatabase } from '#platform/database';
import { live } from '#projections/live';

/** A tenant's time zone and financial year, and the current time. */
export interface TenantCalendar {
  zone: string;
  /** The month, 1 to 12, on whose first day a financial year starts. */
  financialYearStart: number;
  now: Date;
}

/** The settings that a tenant's reports depend on, as one text. */
export function calendarText({ zone, financialYearStart }: Omit<TenantCalendar, 'now'>): string {
  return `${zone} ${financialYearStart}`;
}

/** The calendar that a report was planned with is not the tenant's any more. */
export class CalendarChanged extends Error {
  override message = "The tenant's calendar has changed";
}

/** SQL of the text of `calendarText` at the time of the statement; null while the tenant is not readable. */
export function calendarSql(tenant: string): string {
  const own = live('tenants', 'calendar', tenant);
  return `(select time_zone || ' ' || financial_year_start from read_model.tenants calendar where ${own})`;
}

@Injectable()
export class TenantCalendars {
  private readonly read = new LRUCache<number, Omit<TenantCalendar, 'now'>>({ max: 10_000 });

  constructor(
    private readonly database: ReadDatabase,
    private readonly clock: Clock,
  ) {}

  /** The tenant's calendar as this process last read it. */
  known(tenantId: number): TenantCalendar | undefined {
    const known = this.read.get(tenantId);
    return known && { ...known, now: this.clock.now() };
  }

  /** @throws DomainError unavailable, until a new tenant has reached the read models */
  async of(tenantId: number): Promise<TenantCalendar> {
    const { rows } = await this.database.pool.query<{ zone: string; start: number }>({
      name: 'reporting-calendar',
      text: `select t.time_zone as zone, t.financial_year_start as start from read_model.tenants t where ${live('tenants', 't', '$1')}`,
      values: [tenantId],
    });
    if (rows.length === 0)
      throw new DomainError(
        'unavailable',
        'tenant_not_ready',
        "The tenant's settings are not readable yet.",
        [],
        {
          'Retry-After': '1',
        },
      );
    const calendar = { zone: rows[0].zone, financialYearStart: rows[0].start };
    this.read.set(tenantId, calendar);
    return { ...calendar, now: this.clock.now() };
  }
}
