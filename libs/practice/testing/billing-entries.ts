import * as cost from '../cost-recoveries/cost-recovery.commands';
import * as workItem from '../work-items/work-item.commands';
import type { BillingFirm } from './billing-firm';
import type { BillingStep } from './billing-steps';
import type { BillingWitness } from './billing-witness';
import type { LedgerItem } from './naive-records';

/** Instants, with their days in London. */
const ENTRIES = [
  ['2025-06-30T23:30:00.000Z', '2025-07-01'],
  ['2025-12-31T23:30:00.000Z', '2025-12-31'],
  ['2026-01-05T09:00:00.000Z', '2026-01-05'],
  ['2026-02-20T09:00:00.000Z', '2026-02-20'],
] as const;
/** With the rates 299.85 and 299.7, units of ten, seven and five minutes have a value that ends in half a penny. */
const RATES = [120, 99.99, 250, 333.3333, 87.5, 175, 60, 0.01, 0, 299.85, 299.7];
const UNITS = [1, 3.25, 10, 7.5, 2, 4, 0.5, 0.0001, 0];
const TICKS = [36_000_000_000, 4_500_000_000, 36_000_000_001, 100_000_000_000, 1, 0];
const KINDS = ['CostRecovery', 'Anticipated', 'Incurred'] as const;
const gbp = (Amount: number) => ({ Amount, Currency: 'GBP' });

/** The entries of a billing history: work, costs, and changes to them. */
export class BillingEntries {
  constructor(
    private readonly witness: BillingWitness,
    private readonly firm: BillingFirm,
  ) {}

  readonly actions = {
    recordWork: async (step: BillingStep) => {
      const { other, target, share, way } = step;
      const [entryDate, day] = ENTRIES[target % ENTRIES.length];
      const matterId = other % 12 === 11 ? null : this.witness.matterId(step);
      const asked = {
        matterId,
        employeeId: this.firm.employeeIds[other % 2],
        title: null,
        rate: RATES[share % RATES.length],
        isBillable: target % 9 !== 8,
        timed: other % 3 !== 0,
        ticks: TICKS[target % TICKS.length],
        unitsGiven: way === 'whole' ? null : UNITS[other % UNITS.length],
      };
      const answer = await this.witness.answer(
        this.firm.act(workItem.RecordWorkItem, workItem.RecordWorkItemHandler, {
          matterId,
          employeeId: asked.employeeId,
          itemType: asked.timed ? 0 : 1,
          entryDate,
          durationTicks: asked.ticks,
          units: asked.unitsGiven,
          isBillable: asked.isBillable,
          rate: gbp(asked.rate),
        }),
      );
      const { isBillable: billable, ...fields } = asked;
      const terms = { minutesPerUnit: this.minutesOn(matterId), taxCode: null, bought: false };
      const id = 'id' in answer ? answer.id : 'refused';
      this.witness.agree(
        step,
        answer,
        this.witness.ledger.record({ id, day, billable, ...fields, ...terms }),
      );
    },

    recordCost: async (step: BillingStep) => {
      const { other, target, share } = step;
      const [entryDate, day] = ENTRIES[target % ENTRIES.length];
      const [matterId, kind] = [this.witness.matterId(step), KINDS[other % 3]];
      const [quantity, unitAmount] = [UNITS[(target + other) % UNITS.length], RATES[share % RATES.length]];
      const { disbursementCodeId, supplierId, taxCodes } = this.firm;
      const taxCodeId = other % 2 === 0 ? taxCodes.get('STD') : undefined;
      const answer = await this.witness.answer(
        this.firm.act(cost.RecordCostRecovery, cost.RecordCostRecoveryHandler, {
          matterId,
          disbursementCodeId,
          supplierId,
          kind,
          entryDate,
          taxCodeId,
          quantity,
          unitAmount: gbp(unitAmount),
        }),
      );
      const fields = {
        unitsGiven: quantity,
        rate: unitAmount,
        billable: kind !== 'Anticipated',
        bought: kind === KINDS[2],
      };
      const fixed = { employeeId: null, timed: false, ticks: 0, minutesPerUnit: 6, title: 'General' };
      const taxCode = taxCodeId ? 'STD' : 'EXEMPT';
      const id = 'id' in answer ? answer.id : 'refused';
      this.witness.agree(
        step,
        answer,
        this.witness.ledger.record({ id, day, matterId, taxCode, ...fixed, ...fields }),
      );
    },

    changeWork: async (step: BillingStep) => {
      const item = this.witness.item(step, (one) => one.employeeId !== null && one.state === 'Pending');
      if (!item || item.employeeId === null) return;
      const { other, share, way } = step;
      const [units, rate] = [
        other % 5 === 4 ? null : UNITS[other % UNITS.length],
        RATES[share % RATES.length],
      ];
      const isMoved = way === 'whole' && !item.title;
      const matterId = isMoved ? this.witness.matterId(step) : undefined;
      const body = {
        ...(way.includes('units') && { units }),
        ...(way.includes('rate') && { rate: gbp(rate) }),
        ...(way === 'amount' && { title: `Title ${other}` }),
        ...(way === 'amount and units' && { isBillable: !item.billable }),
        ...(isMoved && { matterId, durationTicks: TICKS[other % TICKS.length] }),
      };
      const answer = await this.witness.answer(
        this.firm.act(workItem.UpdateWorkItem, workItem.UpdateWorkItemHandler, item.id, body),
      );
      const isElsewhere = isMoved && matterId !== item.matterId;
      // Unchanged units and rate have no effect, because this step changes none of the fields that they follow from.
      const isOther = units === null || !item.whole.units.eq(units);
      const changes: Partial<LedgerItem> = {
        ...(way.includes('units') && isOther && { unitsGiven: units }),
        ...(way.includes('rate') && rate !== item.rate && { rate }),
        ...(way === 'amount' && body.title !== item.title && { title: body.title }),
        ...(way === 'amount and units' && { billable: !item.billable }),
        ...(isElsewhere && { matterId, minutesPerUnit: this.minutesOn(matterId!) }),
        ...(isMoved && body.durationTicks !== item.ticks && { ticks: body.durationTicks }),
      };
      this.witness.agree(step, answer, this.witness.ledger.change(item.id, changes));
    },

    changeCost: async (step: BillingStep) => {
      const item = this.witness.item(step, (one) => one.employeeId === null && one.state === 'Pending');
      if (!item || item.employeeId !== null) return;
      const { other, way } = step;
      const [quantity, kind] = [UNITS[other % UNITS.length], item.billable ? KINDS[1] : KINDS[2]];
      const body = {
        ...(way.includes('units') && { quantity }),
        ...(way.includes('rate') && { kind }),
        ...(way === 'amount' && { description: `Description ${other}` }),
      };
      const answer = await this.witness.answer(
        this.firm.act(cost.UpdateCostRecovery, cost.UpdateCostRecoveryHandler, item.id, body),
      );
      const changes: Partial<LedgerItem> = {
        ...(way.includes('units') && quantity !== item.unitsGiven && { unitsGiven: quantity }),
        ...(way.includes('rate') && { billable: !item.billable, bought: !item.billable }),
        ...(way === 'amount' && body.description !== item.title && { title: body.description }),
      };
      this.witness.agree(step, answer, this.witness.ledger.change(item.id, changes));
    },
  };

  private minutesOn(matterId: string | null): number {
    return matterId === null ? 6 : this.witness.ledger.matters.get(matterId)!.minutesPerUnit;
  }
}
