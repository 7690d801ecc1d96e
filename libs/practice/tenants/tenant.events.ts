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

export type TenantEvent =
  | DomainEvent<'TenantCreated', TenantSettings>
  | DomainEvent<'TenantSettingsChanged', Partial<TenantSettings>>;

export const tenantEvents = { TenantCreated: [], TenantSettingsChanged: [] };
