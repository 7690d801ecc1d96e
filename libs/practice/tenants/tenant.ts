import type { StreamDefinition } from '#kernel/decider';
import { conflict, invalid } from '#kernel/errors';
import { isName } from '#kernel/names';
import { zoneNamed } from '#kernel/zone';
import type { RecordState } from '../records/record';
import { type Promotion, type TenantEvent, type TenantSettings, tenantEvents } from './tenant.events';

/** The last import that was promoted. */
export interface LastImport {
  requestId: string;
  sourceSystem: string;
  promotedAt: string;
  created: number;
  changed: number;
}

export interface TenantState extends TenantSettings, RecordState {
  lastImport: LastImport | null;
}

export const Tenant: StreamDefinition<TenantState, TenantEvent> = {
  kind: 'tenant',
  foldVersion: 2,
  events: tenantEvents,
  isDeleted: () => false,
  links: () => [],
  keys: () => [],
  evolve(state, event) {
    switch (event.type) {
      case 'TenantCreated':
        return {
          isDeleted: false,
          externalReference: null,
          referenceOwner: null,
          lastImport: null,
          ...event.data,
        };
      case 'TenantSettingsChanged':
        return { ...(state as TenantState), ...event.data };
      case 'ImportPromoted':
        return { ...(state as TenantState), lastImport: lastImport(event.data) };
    }
  },
};

function lastImport({ requestId, sourceSystem, records, at }: Promotion): LastImport {
  return { requestId, sourceSystem, promotedAt: at, ...records };
}

const REGIONS = {
  uk: { currency: 'GBP', timeZone: 'Europe/London', taxScheme: 'VAT', financialYearStart: 4 },
  au: { currency: 'AUD', timeZone: 'Australia/Sydney', taxScheme: 'GST', financialYearStart: 7 },
} as const;

/** The events that create a tenant's settings, with the defaults of its region. */
export function newTenant(firmName: string, region: 'uk' | 'au'): TenantEvent[] {
  const settings = {
    ...REGIONS[region],
    minutesPerUnit: '6',
    unitRounding: 'Up',
    autoFinaliseWorkItems: true,
  } as const;
  return [{ type: 'TenantCreated', data: { firmName, region, ...settings } }];
}

/**
 * The settings that an operator may change, each with a parser (undefined: invalid). Values are stored in a canonical form, so
 * that an unchanged setting appends no event.
 */
const CHANGEABLE: Record<string, (text: string) => Partial<TenantSettings> | undefined> = {
  firmName: (text) => (isName(text) ? { firmName: text } : undefined),
  currency: (text) => (Intl.supportedValuesOf('currency').includes(text) ? { currency: text } : undefined),
  timeZone: (text) => {
    const timeZone = zoneNamed(text);
    return timeZone === undefined ? undefined : { timeZone };
  },
  financialYearStart: (text) =>
    /^([1-9]|1[0-2])$/.test(text) ? { financialYearStart: Number(text) } : undefined,
  minutesPerUnit: (text) =>
    /^\d{1,2}(\.\d{1,4})?$/.test(text) && Number(text) > 0 && Number(text) <= 60
      ? { minutesPerUnit: String(Number(text)) }
      : undefined,
  unitRounding: (text) =>
    text === 'Up' || text === 'Nearest' || text === 'Down' ? { unitRounding: text } : undefined,
  autoFinaliseWorkItems: (text) =>
    text === 'true' || text === 'false' ? { autoFinaliseWorkItems: text === 'true' } : undefined,
};

/**
 * Changes settings of a tenant.
 * @param isEntered whether the tenant has work, a cost or an invoice: its zone and base currency are then fixed
 * @throws DomainError unknown_setting, invalid_setting, setting_fixed
 */
export function changeSettings(
  state: TenantState,
  given: Record<string, string>,
  isEntered: boolean,
): TenantEvent[] {
  const changes: Partial<TenantSettings> = {};
  for (const [name, text] of Object.entries(given)) {
    if (!Object.hasOwn(CHANGEABLE, name)) {
      throw invalid(
        'unknown_setting',
        `${name} is not a setting; there are ${Object.keys(CHANGEABLE).join(', ')}.`,
        name,
      );
    }
    const change = CHANGEABLE[name](text);
    if (!change) throw invalid('invalid_setting', `${name} cannot be ${JSON.stringify(text)}.`, name);
    const key = name as keyof TenantSettings;
    if (change[key] === state[key]) continue;
    if (isEntered && (key === 'currency' || key === 'timeZone')) {
      throw conflict(
        'setting_fixed',
        `${name} cannot be changed once the tenant has work, a cost or an invoice.`,
      );
    }
    Object.assign(changes, change);
  }
  return Object.keys(changes).length === 0 ? [] : [{ type: 'TenantSettingsChanged', data: changes }];
}
