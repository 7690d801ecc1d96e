import { column, stateTable } from '../records/state-table';
import { TaxCode, type TaxCodeState } from './tax-code';

export const taxCodesProjection = stateTable(TaxCode, {
  name: 'tax-codes',
  version: 1,
  columns: {
    code: column<TaxCodeState>('text', ({ code }) => code),
    name: column<TaxCodeState>('text', ({ name }) => name),
    scheme: column<TaxCodeState>('text', ({ scheme }) => scheme),
    category: column<TaxCodeState>('text', ({ category }) => category),
  },
  words: ({ code, name }) => [code, name],
});
