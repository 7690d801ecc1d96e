import type { Day } from '#kernel/zone';
import type { RecordState } from '../records/record';
import { type SimpleDefinition, simpleRecord } from '../records/simple-record';
import { type TaxCodeFields, type TaxCodeUsed, taxCodeEvents } from './tax-code.events';

export interface TaxCodeState extends RecordState, TaxCodeFields {
  /** First days of the rates that invoices have used; null stands for a code without rates. Absent: never used. */
  used?: (Day | null)[];
}

/** A fictitious link target. The firm's Standard codes have a link to it, by which an invoice finds them; links are per tenant. */
export const THE_STANDARD = `taxcode_${'0'.repeat(32)}`;
export const STANDARD_TAX_CODE = 'standard_taxcode';

const record = simpleRecord<TaxCodeState>({
  kind: 'taxcode',
  name: 'TaxCode',
  events: taxCodeEvents,
  keys: ({ code }) => [{ kind: 'tax_code', key: code }],
  links: ({ category }) =>
    category === 'Standard' ? [{ kind: STANDARD_TAX_CODE, target: THE_STANDARD }] : [],
});

export const TaxCode: SimpleDefinition<TaxCodeState> = {
  ...record,
  evolve(state, event) {
    if (event.type !== 'TaxCodeUsed') return record.evolve(state, event);
    const { from } = event.data as TaxCodeUsed['data'];
    return { ...state!, used: [...(state!.used ?? []), from] };
  },
};
