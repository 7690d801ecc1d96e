import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import { conflict, DomainError, invalid } from '#kernel/errors';
import { type Id, newId } from '#kernel/ids';
import { decimal } from '#kernel/money';
import { dayGiven, dayIn } from '#kernel/zone';
import { LARGEST_AMOUNT } from '#platform/http/input/fields';
import type { BillableState } from '../billable/billable';
import { release, reserve } from '../billable/billable.billing';
import { openMatter } from '../matters/matter.lookup';
import { loadAddressed } from '../records/addressed-record';
import { active, changesOf, givenReference, recordChanges } from '../records/record';
import { requireBaseCurrency, settings, settingsOf, type TenantState } from '../tenants/tenant.lookup';
import { Invoice, type InvoiceState, InvoiceStatus, requireDueAfter, requireInvoice } from './invoice';
import type { InvoiceEvent, InvoiceLine } from './invoice.events';
import type { InvoiceInput, InvoicePatch, LineInput, LinesInput } from './invoice.input';
import { linesFrom } from './invoice.lines';
import { replacementOf } from './invoice.shown-lines';
import { changeSources, loadSources, loadSourcesOf, type Sources, sourcesOf } from './invoice.sources';
import { type DefaultTax, defaultTaxQuestions, loadTaxCodes, taxationOn } from './invoice.taxation';
import { type Totals, totalsOf } from './invoice.totals';
import { lineOf, unbilled } from './invoice.unbilled';

/** Creates a draft with its lines, and reserves the records that they charge. */
export async function createInvoice(work: UnitOfWork, body: InvoiceInput) {
  const { context } = work;
  const { clientId, matterId, lines = [] } = body;
  const found = await work.load({ tenant: settingsOf(context), ...defaultTaxQuestions(body) });
  const tenant = settings(found.tenant);
  active(found.client, 'client', 'clientId');
  const matter = openMatter(found.matter, 'matterId');
  if (matter.data.clientId !== clientId)
    throw invalid('client_mismatch', "clientId: it is not the matter's client.", 'clientId');
  const currency = body.currency ?? matter.data.currency;
  requireBaseCurrency(currency, tenant, 'currency');
  const days = daysOf(body, tenant);
  const fields = {
    clientId,
    matterId,
    currency,
    issueDate: days.issueDate ?? null,
    dueDate: days.dueDate ?? null,
    ...givenReference(context, body.externalReference),
  };
  requireDueAfter(fields);
  const created: InvoiceEvent = { type: 'InvoiceCreated', data: fields };
  const draft: Draft = { id: newId('invoice'), state: Invoice.evolve(undefined, created), tenant, found };
  return relined(work, draft, [], lines ?? [], (events) =>
    work.create(Invoice, draft.id, [created, ...events]),
  );
}

/**
 * Updates a draft. If lines are given, they replace the draft's from the first that differs. The external reference of
 * an issued invoice can change, too.
 */
export async function updateInvoice(work: UnitOfWork, id: string, body: InvoicePatch) {
  const { before, draft } = await loadDraft(work, id);
  const { lines, issueDate, dueDate, clientId, matterId, currency, ...own } = body;
  // clientId and matterId are never null, and a currency of null is the one that the invoice has.
  for (const [name, value] of Object.entries({ clientId, matterId, currency: currency ?? undefined })) {
    if (value !== undefined && value !== before.data[name as keyof InvoiceState])
      throw invalid(`${name.replace('Id', '')}_fixed`, `${name}: it cannot be changed on an invoice.`, name);
  }
  const patch = { ...own, ...daysOf({ issueDate, dueDate }, draft.tenant) };
  const changes = recordChanges(work.context, before.data, patch);
  // The due date of an invoice that will be issued again on another day is computed anew.
  if (before.data.number !== null && changes.issueDate !== undefined && dueDate === undefined)
    Object.assign(changes, { dueDate: null });
  requireDueAfter({ ...before.data, ...changes });
  const { gone, inputs } =
    lines === undefined ? { gone: [], inputs: [] } : replacementOf(before.data, lines ?? []);
  const isRelined = gone.length > 0 || inputs.length > 0;
  const isDrafted = isRelined || Object.keys(changes).some((name) => name.endsWith('Date'));
  if (isDrafted) requireInvoice(before.data, 'invoice_not_draft', InvoiceStatus.Draft);
  const events: InvoiceEvent[] =
    Object.keys(changes).length > 0 ? [{ type: 'InvoiceUpdated', data: changes }] : [];
  if (!isDrafted) return work.change(Invoice, before, events);
  const changed = { ...draft, state: { ...before.data, ...changes } };
  const first = before.data.lines.length - gone.length;
  const write = (more: InvoiceEvent[]) => work.change(Invoice, before, [...events, ...more]);
  return relined(work, changed, gone, inputs, write, { first });
}

/** Adds lines: those of the request and, if requested, one for each unbilled record. */
export async function addLines(work: UnitOfWork, id: string, { lines, unbilledUntil }: LinesInput) {
  const { before, draft } = await loadDraft(work, id);
  requireInvoice(before.data, 'invoice_not_draft', InvoiceStatus.Draft);
  const named = lines ?? [];
  const until = unbilledUntil && dayGiven(draft.tenant.timeZone, unbilledUntil);
  const free = until ? await unbilled(work, before.data, until, sourcesOf(named)) : [];
  const inputs = [...named, ...free.map(lineOf)];
  const write = (events: InvoiceEvent[]) => work.change(Invoice, before, events);
  return relined(work, draft, [], inputs, write, { known: free });
}

/** Removes a line and releases the record that it charges. @throws DomainError `not_found` */
export async function removeLine(work: UnitOfWork, id: string, lineId: number) {
  const { before, draft } = await loadDraft(work, id);
  requireInvoice(before.data, 'invoice_not_draft', InvoiceStatus.Draft);
  const gone = before.data.lines.filter((line) => line.id === lineId);
  if (gone.length === 0)
    throw new DomainError('not_found', 'line_not_found', 'The invoice has no such line.');
  return relined(work, draft, gone, [], (events) => work.change(Invoice, before, events));
}

/** Deletes a draft that never had a number, and releases the records that it reserves. */
export async function deleteInvoice(work: UnitOfWork, id: string) {
  const before = await loadAddressed(work, Invoice, id);
  requireInvoice(before.data, 'invoice_not_draft', InvoiceStatus.Draft);
  if (before.data.number !== null)
    throw conflict(
      'invoice_numbered',
      `The draft has the number ${before.data.number}; it can only be voided.`,
    );
  const sources = await loadSources(work, before.data.lines);
  const record = work.change(Invoice, before, [{ type: 'InvoiceDeleted', data: {} }]);
  changeSources(work, before.data.lines, sources, (definition, state) => release(definition, state, id));
  return record;
}

/** A draft, together with what its taxation depends on. */
interface Draft {
  id: Id;
  state: InvoiceState;
  tenant: TenantState;
  found: DefaultTax;
}

async function loadDraft(
  work: UnitOfWork,
  id: string,
): Promise<{ before: Folded<InvoiceState>; draft: Draft }> {
  const before = await loadAddressed(work, Invoice, id);
  const found = await work.load({ tenant: settingsOf(work.context), ...defaultTaxQuestions(before.data) });
  return { before, draft: { id: before.id, state: before.data, tenant: settings(found.tenant), found } };
}

/**
 * Changes a draft's lines: writes the events of the invoice, then releases and reserves the lines' sources.
 * @param write writes the given events, after its own
 * @param first index of the first input within the request
 * @param known records that inputs charge, as they were found: if one of them changes meanwhile, they are searched
 *   again
 */
async function relined(
  work: UnitOfWork,
  draft: Draft,
  gone: readonly InvoiceLine[],
  inputs: readonly LineInput[],
  write: (events: InvoiceEvent[]) => Folded<InvoiceState>,
  { first = 0, known = [] }: { first?: number; known?: readonly Folded<BillableState>[] } = {},
): Promise<Folded<InvoiceState>> {
  const { id, state, tenant } = draft;
  const goneIds = gone.map((line) => line.id);
  const kept = state.lines.filter((line) => !goneIds.includes(line.id));
  const found = new Map(known.map((source) => [source.id as string, source]));
  const others = [...sourcesOf(gone), ...sourcesOf(inputs)].filter((source) => !found.has(source));
  const sources: Sources = new Map([...found, ...(await loadSourcesOf(work, others))]);
  const added = linesFrom(inputs, state, sources, state.lastLine, kept, first);
  const lines = [...kept, ...added];
  const day = state.issueDate ?? dayIn(tenant.timeZone, work.now);
  const codes = await loadTaxCodes(work, lines);
  // Lines for unbilled records come last.
  const request = lines.slice(kept.length - first, lines.length - known.length);
  const { taxation } = taxationOn(day, tenant.taxScheme, lines, codes, draft.found, request);
  if (added.length > 0) requireBounds(totalsOf(lines, taxation, state.currency));
  const events: InvoiceEvent[] = [
    ...(gone.length > 0 ? [{ type: 'InvoiceLinesRemoved', data: { ids: goneIds } } as const] : []),
    ...chunks(added).map((chunk) => ({ type: 'InvoiceLinesAdded', data: { lines: chunk } }) as const),
  ];
  if ('taxation' in changesOf(state, { taxation })) events.push({ type: 'InvoiceTaxed', data: taxation });
  const record = write(events);
  exchange(work, id, gone, added, sources, first);
  return record;
}

/** Releases the records that only the old lines charge, and reserves those that only the new lines charge. */
function exchange(
  work: UnitOfWork,
  invoiceId: string,
  gone: readonly InvoiceLine[],
  added: readonly InvoiceLine[],
  sources: Sources,
  first: number,
): void {
  const [old, now] = [gone, added].map((lines) => new Set(sourcesOf(lines)));
  const freed = gone.filter(({ sourceId }) => !now.has(sourceId ?? ''));
  changeSources(work, freed, sources, (definition, state) => release(definition, state, invoiceId));
  const taken = added.filter(({ sourceId }) => !old.has(sourceId ?? ''));
  changeSources(work, taken, sources, (definition, state, line) => {
    try {
      return reserve(definition, state, invoiceId);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const pointer = `/lines/${first + added.indexOf(line)}/sourceId`;
      const { fault, code, detail } = error;
      throw new DomainError(fault, code, `${line.sourceId}: ${detail}`, [{ pointer, code, message: detail }]);
    }
  });
}

/**
 * Refuses a total beyond the largest amount: a JSON number would lose pennies, and nobody could pay it.
 * @throws DomainError `amount_too_large` (422)
 */
function requireBounds({ total }: Totals): void {
  if (decimal(total).abs().gt(LARGEST_AMOUNT))
    throw invalid(
      'amount_too_large',
      `lines: with tax they come to ${total}; at most ${LARGEST_AMOUNT} can be charged.`,
      'lines',
    );
}

/** The days of a request, in the tenant's zone. */
function daysOf({ issueDate, dueDate }: InvoicePatch, { timeZone }: TenantState) {
  const day = (text: string | null | undefined) => text && dayGiven(timeZone, text);
  return { issueDate: day(issueDate), dueDate: day(dueDate) };
}

const CHUNK_BYTES = 200 * 1024;

/** Divides lines into chunks, such that an event with one of them stays below the largest size of an event. */
export function chunks(lines: readonly InvoiceLine[]): InvoiceLine[][] {
  const all: InvoiceLine[][] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = Buffer.byteLength(JSON.stringify(line));
    if (all.length === 0 || bytes + size > CHUNK_BYTES) {
      all.push([]);
      bytes = 0;
    }
    all[all.length - 1].push(line);
    bytes += size;
  }
  return all;
}
