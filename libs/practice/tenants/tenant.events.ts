import type { DomainEvent } from '#kernel/decider';
import type { UnitRounding } from '#kernel/ticks';

export interface TenantSettings {
  firmName: string;
  region: 'uk' | 'au';
  /** Base currency, ISO 4217. */
  currency: string;
  /** IANA name. */
  timeZone: string;
  taxScheme: 'VAT' | 'GST';
  /** Month in which the financial year begins, on its first day. */
  financialYearStart: number;
  minutesPerUnit: string;
  unitRounding: UnitRounding;
  autoFinaliseWorkItems: boolean;
}

/** What the promotion of an import came to, all of which is there with this event. */
export interface Promotion {
  requestId: string;
  /** As the import names it. */
  sourceSystem: string;
  /** Records of the tenant, apart from those that were equal. */
  records: { created: number; changed: number };
  at: string;
}

export type TenantEvent =
  | DomainEvent<'TenantCreated', TenantSettings>
  | DomainEvent<'TenantSettingsChanged', Partial<TenantSettings>>
  | DomainEvent<'ImportPromoted', Promotion>;

export const tenantEvents = { TenantCreated: [], TenantSettingsChanged: [], ImportPromoted: [] };
