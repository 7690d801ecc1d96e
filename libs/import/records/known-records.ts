import type { Folded } from '#event-store/events';
import type { Id } from '#kernel/ids';
import type { Day } from '#kernel/zone';
import type { ClientState } from '#practice/clients/client.lookup';
import type { DisbursementCodeState } from '#practice/disbursement-codes/disbursement-code';
import type { MatterState } from '#practice/matters/matter.lookup';
import type { TaskTypeState } from '#practice/task-types/task-type.lookup';
import { type TaxCodeState, taxRateOn } from '#practice/tax-codes/tax-code.lookup';

type CostCode = Pick<DisbursementCodeState, 'kind' | 'taxCodeId' | 'name' | 'description'>;

/**
 * What rows must know of the records to which they refer, both the import's own and the tenant's. Contains only values
 * that differ from the default, and so stays small however many records there are.
 */
export class KnownRecords {
  readonly taxCodes = new Map<string, Folded<TaxCodeState>>();
  /** Tax codes of rows whose records the tenant has deleted since. They do not tax lines that name no code. */
  deletedTaxCodes: ReadonlySet<string> = new Set();
  readonly costCodes = new Map<string, CostCode>();
  /** First days of the tax rates that issued invoices charge, by tax code; null for a code without rates. */
  readonly usedRates = new Map<string, Set<Day | null>>();
  /** Titles of work items without a title of their own, by task type. */
  readonly narrations = new Map<string, string>();
  /** Minutes of a unit, by id of a matter or client. */
  private readonly unitLengths = new Map<string, string>();
  /** Tax code, by id of a matter or client. */
  private readonly taxedBy = new Map<string, string>();
  /** Days until payment is due, by client. */
  private readonly terms = new Map<string, number>();

  taxCode(id: string, data: TaxCodeState): void {
    this.taxCodes.set(id, { id: id as Id, version: 0, audit: NOBODY, data });
  }

  costCode(id: string, { kind, taxCodeId, name, description }: CostCode): void {
    this.costCodes.set(id, { kind, taxCodeId, name, description });
  }

  taskType(id: string, { narration }: Pick<TaskTypeState, 'narration'>): void {
    if (narration !== null) this.narrations.set(id, narration);
  }

  client(id: string, client: Pick<ClientState, 'minutesPerUnit' | 'taxCodeId' | 'paymentTermsDays'>): void {
    if (client.minutesPerUnit !== null) this.unitLengths.set(id, client.minutesPerUnit);
    if (client.taxCodeId !== null) this.taxedBy.set(id, client.taxCodeId);
    if (client.paymentTermsDays !== null) this.terms.set(id, client.paymentTermsDays);
  }

  /** Adds a matter. Its client must have been added before. */
  matter(id: string, matter: Pick<MatterState, 'minutesPerUnit' | 'taxCodeId' | 'clientId'>): void {
    const minutes = matter.minutesPerUnit ?? this.unitLengths.get(matter.clientId);
    if (minutes !== undefined) this.unitLengths.set(id, minutes);
    if (matter.taxCodeId !== null) this.taxedBy.set(id, matter.taxCodeId);
  }

  /** Minutes of a unit for work on the matter; undefined when the tenant's setting applies. */
  unitLength(matterId: string | null): string | undefined {
    return matterId === null ? undefined : this.unitLengths.get(matterId);
  }

  paymentTerms(clientId: string): number | undefined {
    return this.terms.get(clientId);
  }

  /** Records that an invoice issued on the day charges the code's rate. */
  charged(taxCodeId: string, day: Day): void {
    const { from } = taxRateOn(this.taxCodes.get(taxCodeId)!.data, day);
    const days = this.usedRates.get(taxCodeId);
    if (days) days.add(from);
    else this.usedRates.set(taxCodeId, new Set([from]));
  }

  /**
   * The possible tax codes of invoice lines that name none, as deciders take them.
   * @param own the invoice's own default code, which replaces that of its matter
   */
  defaultTax({ matterId, clientId }: { matterId: string; clientId: string }, own?: string | null) {
    const codeOf = (id: string) => this.taxCodes.get(this.taxedBy.get(id) ?? '');
    const standardTaxCodes = [...this.taxCodes.values()].filter(
      ({ id, data }) => data.category === 'Standard' && !this.deletedTaxCodes.has(id),
    );
    return {
      matterTaxCode: this.taxCodes.get(own ?? '') ?? codeOf(matterId),
      clientTaxCode: codeOf(clientId),
      standardTaxCodes,
    };
  }
}

/** Audit fields of folded states here. They tell no ages: of several Standard codes the first by id counts as the oldest. */
export const NOBODY = { createdOn: '', createdBy: '', updatedOn: '', updatedBy: '' };
