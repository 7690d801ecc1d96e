import type { Folded } from '#event-store/events';
import { type Ask, at, linkedTo, via } from '#event-store/load';
import type { Answers, UnitOfWork } from '#event-store/unit-of-work';
import { invalid } from '#kernel/errors';
import type { Day } from '#kernel/zone';
import { Client } from '../clients/client.lookup';
import { Matter } from '../matters/matter.lookup';
import { referred } from '../records/record';
import {
  markTaxRateUsed,
  rateInForce,
  STANDARD_TAX_CODE,
  TaxCode,
  type TaxCodeState,
  THE_STANDARD,
  taxRateOn,
} from '../tax-codes/tax-code.lookup';
import type { InvoiceLine, Taxation } from './invoice.events';
import { taxCodeOf } from './invoice.totals';

interface Of {
  clientId: string;
  matterId: string;
}

/**
 * Questions for the tax codes that may be the default of an invoice's lines, and for the matter and the client that name
 * them: a code is a guard only of its own changes, not of what names it.
 */
export function defaultTaxQuestions({ clientId, matterId }: Of) {
  return {
    matter: at(Matter, matterId),
    client: at(Client, clientId),
    matterTaxCode: via(TaxCode, matterId, 'taxCodeId'),
    clientTaxCode: via(TaxCode, clientId, 'taxCodeId'),
    standardTaxCodes: linkedTo(TaxCode, THE_STANDARD, [STANDARD_TAX_CODE]),
  };
}

export type DefaultTax = Omit<Answers<ReturnType<typeof defaultTaxQuestions>>, 'matter' | 'client'>;

/** Loads the tax codes that lines name. */
export async function loadTaxCodes(work: UnitOfWork, lines: readonly InvoiceLine[]) {
  const ids = new Set(lines.flatMap(({ taxCodeId }) => taxCodeId ?? []));
  if (ids.size === 0) return new Map<string, Folded<TaxCodeState> | undefined>();
  const asks: Record<string, Ask<Folded<TaxCodeState> | undefined>> = {};
  for (const id of ids) asks[id] = at(TaxCode, id);
  return new Map(Object.entries(await work.load(asks)));
}

/** The taxation of an invoice, and the tax codes that it uses. */
export interface Taxed {
  taxation: Taxation;
  codes: Folded<TaxCodeState>[];
}

/**
 * The taxation of an invoice's lines on a day.
 * @param day the day whose rates apply
 * @param named the tax codes that lines name, by id
 * @param request those lines that the request contains, in its order, for the pointers of errors
 * @throws DomainError `taxcode_not_found`, `tax_rate_not_found` (422)
 * @see resources.md: Invoices
 */
export function taxationOn(
  day: Day,
  scheme: TaxCodeState['scheme'],
  lines: readonly InvoiceLine[],
  named: ReadonlyMap<string, Folded<TaxCodeState> | undefined>,
  found: DefaultTax,
  request = lines,
): Taxed {
  const standard = defaultCode(day, scheme, found);
  const defaultTaxCodeId = standard?.id ?? null;
  const wanted = new Map<string, Folded<TaxCodeState>>();
  for (const line of lines) {
    if (line.kind === 'Text') continue;
    const id = taxCodeOf(line, { defaultTaxCodeId, rates: [] });
    if (id === null)
      throw invalid(
        'taxcode_not_found',
        `There is no tax code for the invoice on ${day}; name one in its lines.`,
      );
    const code = id === standard?.id ? standard : named.get(id);
    const index = request.indexOf(line);
    if (index < 0 && (!code || code.data.isDeleted))
      throw invalid('taxcode_not_found', `The tax code ${id} of line ${line.id} no longer exists.`);
    const field = `lines/${index}/taxCodeId`;
    const taxedBy = referred(code, 'taxcode', field);
    if (index >= 0 && line.taxCodeId !== null) taxRateOn(taxedBy.data, day, field);
    wanted.set(id, taxedBy);
  }
  const codes = [...wanted.values()].sort((one, other) => one.id.localeCompare(other.id));
  const rates = codes.map(({ id, data }) => ({ taxCodeId: id, percent: taxRateOn(data, day).percent }));
  const isUsed = wanted.has(defaultTaxCodeId ?? '');
  return { taxation: { defaultTaxCodeId: isUsed ? defaultTaxCodeId : null, rates }, codes };
}

/**
 * The default tax code: the matter's, else the client's, else the oldest Standard one of the firm's scheme that has a
 * rate on the day.
 */
function defaultCode(day: Day, scheme: TaxCodeState['scheme'], found: DefaultTax) {
  const { matterTaxCode, clientTaxCode, standardTaxCodes } = found;
  if (matterTaxCode) return matterTaxCode;
  if (clientTaxCode) return clientTaxCode;
  // Ids alone do not tell: those that an import gives do not sort by time.
  const age = ({ id, audit }: Folded<TaxCodeState>) => `${audit.createdOn} ${id}`;
  return standardTaxCodes
    .filter(({ data }) => data.scheme === scheme && rateInForce(data.rates, day))
    .sort((one, other) => age(one).localeCompare(age(other)))
    .at(0);
}

/** Marks the rates that an issued invoice uses: from then on they cannot change. */
export function markUsed(work: UnitOfWork, day: Day, codes: readonly Folded<TaxCodeState>[]): void {
  for (const code of codes) work.change(TaxCode, code, markTaxRateUsed(code.data, taxRateOn(code.data, day)));
}
