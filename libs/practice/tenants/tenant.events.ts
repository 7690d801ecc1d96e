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

/** The result of an import's promotion. All of its records exist when this event is appended. */
export interface Promotion {
  requestId: string;
  /** The source system's name, from the import. */
  sourceSystem: string;
  /** Numbers of created and changed records, without those that were equal. */
  records: { created: number; changed: number };
  at: string;
}

export type TenantEvent =
  | DomainEvent<'TenantCreated', TenantSettings>
  | DomainEvent<'TenantSettingsChanged', Partial<TenantSettings>>
  | DomainEvent<'ImportPromoted', Promotion>;

export const tenantEvents = { TenantCreated: [], TenantSettingsChanged: [], ImportPromoted: [] };
