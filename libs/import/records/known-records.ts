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
 * What rows must know of the records that they refer to, of the import's own as of the tenant's: only what differs from
 * the rule, so that it stays small however many records there are.
 */
export class KnownRecords {
  readonly taxCodes = new Map<string, Folded<TaxCodeState>>();
  /** Tax codes of rows whose records the tenant has deleted since: they tax no line that names none. */
  deletedTaxCodes: ReadonlySet<string> = new Set();
  readonly costCodes = new Map<string, CostCode>();
  /** First days of the rates that issued invoices charge by, by tax code; null of a code without rates. */
  readonly usedRates = new Map<string, Set<Day | null>>();
  /** What a work item of the task type is called when nobody says otherwise. */
  readonly narrations = new Map<string, string>();
  /** Minutes of a unit, by the matter's or the client's id. */
  private readonly unitLengths = new Map<string, string>();
  /** Tax codes of matters and clients. */
  private readonly taxedBy = new Map<string, string>();
  /** Days to pay, by client. */
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

  /** After its client. */
  matter(id: string, matter: Pick<MatterState, 'minutesPerUnit' | 'taxCodeId' | 'clientId'>): void {
    const minutes = matter.minutesPerUnit ?? this.unitLengths.get(matter.clientId);
    if (minutes !== undefined) this.unitLengths.set(id, minutes);
    if (matter.taxCodeId !== null) this.taxedBy.set(id, matter.taxCodeId);
  }

  /** Undefined: that of the tenant. */
  unitLength(matterId: string | null): string | undefined {
    return matterId === null ? undefined : this.unitLengths.get(matterId);
  }

  paymentTerms(clientId: string): number | undefined {
    return this.terms.get(clientId);
  }

  /** An issued invoice charges by the code. */
  charged(taxCodeId: string, day: Day): void {
    const { from } = taxRateOn(this.taxCodes.get(taxCodeId)!.data, day);
    const days = this.usedRates.get(taxCodeId);
    if (days) days.add(from);
    else this.usedRates.set(taxCodeId, new Set([from]));
  }

  /**
   * The codes of invoice lines that name none, as deciders ask for them.
   * @param own the invoice's, in place of its matter's
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

/** Whoever wrote it is not asked for. */
export const NOBODY = { createdOn: '', createdBy: '', updatedOn: '', updatedBy: '' };
