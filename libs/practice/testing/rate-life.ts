import type { EventStore } from '#event-store/event-store';
import type { RequestContext } from '#platform/request-context';
import { applicableRateWriting } from '../applicable-rates/applicable-rate.commands';
import { rateSetWriting } from '../rate-sets/rate-set.writing';
import { liveRecord } from './record-life';

const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

/** @returns a rate set with every field, the firm's default */
export function liveRateSets(
  store: EventStore,
  context: RequestContext,
  of: { employeeId: string; taskTypeId: string; matterTypeId: string },
): Promise<string> {
  const entry = { rate: gbp(210), per: 'Hour', billingGrade: 'B', jobTitle: 'Associate', ...of };
  return liveRecord(store, context, rateSetWriting, {
    least: { name: 'Legal aid', currency: 'GBP' },
    full: {
      name: 'Standard rates',
      currency: 'GBP',
      isDefault: true,
      from: '2025-01-01',
      to: '2025-12-31',
      entries: [entry],
    },
    changes: {
      name: 'Fixed fees',
      isDefault: true,
      from: '2024-01-01',
      to: '2024-12-31',
      entries: [{ ...entry, per: 'Unit' }],
    },
  });
}

/** @returns an applicable rate with every field */
export function liveApplicableRates(
  store: EventStore,
  context: RequestContext,
  { matterId, clientId, ...keys }: Record<'matterId' | 'clientId' | 'employeeId' | 'taskTypeId', string>,
): Promise<string> {
  const all = { ...keys, billingGrade: 'B', rate: gbp(190), per: 'Hour' };
  return liveRecord(store, context, applicableRateWriting, {
    least: { scope: 'Client', scopeId: clientId, rate: gbp(150), effectiveFrom: '2024-01-01' },
    full: {
      scope: 'Matter',
      scopeId: matterId,
      ...all,
      effectiveFrom: '2025-01-01',
      effectiveTo: '2025-12-31',
    },
    changes: { ...all, per: 'Unit', effectiveFrom: '2025-01-01', effectiveTo: '2025-03-31' },
  });
}
