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
 * What rows must know of the records to which they refer, both of the import and of the tenant. Only exceptions from the
 * defaults are stored, so that it stays small however many records there are.
 */
export class KnownRecords {
  readonly taxCodes = new Map<string, Folded<TaxCodeState>>();
  /** Tax codes of rows that the tenant has deleted since an earlier import: they are no default for lines. */
  deletedTaxCodes: ReadonlySet<string> = new Set();
  readonly costCodes = new Map<string, CostCode>();
  /** By tax code: the first days of the rates that issued invoices use; null for a code without rates. */
  readonly usedRates = new Map<string, Set<Day | null>>();
  /** By task type: the default title of work items. */
  readonly narrations = new Map<string, string>();
  /** By id of a matter or client: the minutes of a unit. */
  private readonly unitLengths = new Map<string, string>();
  /** By id of a matter or client: its tax code. */
  private readonly taxedBy = new Map<string, string>();
  /** By client: the days to pay. */
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

  /** The minutes of a unit on a matter; undefined: those of the tenant. */
  unitLength(matterId: string | null): string | undefined {
    return matterId === null ? undefined : this.unitLengths.get(matterId);
  }

  paymentTerms(clientId: string): number | undefined {
    return this.terms.get(clientId);
  }

  /** Remembers that an issued invoice uses a tax code's rate of that day. */
  charged(taxCodeId: string, day: Day): void {
    const { from } = taxRateOn(this.taxCodes.get(taxCodeId)!.data, day);
    const days = this.usedRates.get(taxCodeId);
    if (days) days.add(from);
    else this.usedRates.set(taxCodeId, new Set([from]));
  }

  /**
   * The default tax codes of invoice lines, in the form that deciders take.
   * @param own the invoice's own default, which replaces that of its matter
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

/** Audit fields of states for which nobody asks who wrote them. */
export const NOBODY = { createdOn: '', createdBy: '', updatedOn: '', updatedBy: '' };
