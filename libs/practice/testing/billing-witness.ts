import { DomainError } from '#kernel/errors';
import type { SetClock } from '../../../test/support/set-clock';
import type { BillingFirm } from './billing-firm';
import type { BillingStep } from './billing-steps';
import { NaiveLedger } from './naive-ledger';
import type { LedgerItem, Refusals } from './naive-records';

/** The service's answer: the id of a record, or the code of the error. */
export type Answer = { id: string } | { code: string };

/** Compares the service with the ledger: both must refuse the same steps of a billing history. */
export class BillingWitness {
  readonly ledger = new NaiveLedger();
  /** How often each action succeeded, and how often it was refused with each code. */
  readonly done = new Map<string, number>();

  constructor(
    { matters }: BillingFirm,
    private readonly clock: SetClock,
  ) {
    for (const [id, terms] of matters) this.ledger.matters.set(id, { ...terms });
  }

  get today(): string {
    return this.clock.at.toISOString().slice(0, 10);
  }

  pass(days: number): void {
    this.clock.advance(days * 86_400);
  }

  /** The service's answer to a request. */
  async answer(request: Promise<{ record: { id: string } }>): Promise<Answer> {
    try {
      return { id: (await request).record.id };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { code: error.code };
    }
  }

  /** Checks that the service and the ledger both carry out a step, or refuse it by the same rule. */
  agree({ action }: { action: string }, answer: Answer, refusals: Refusals): void {
    const code = 'code' in answer ? answer.code : null;
    const key = `${action} ${code ?? 'done'}`;
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
    if (code === null ? refusals.length > 0 : !refusals.includes(code))
      throw new Error(
        `${action}: the service says ${code ?? 'yes'}, the ledger ${refusals.join(', ') || 'yes'}`,
      );
  }

  /** Chooses one of several things, or of the suitable ones among them. */
  one<Thing>(
    all: Thing[],
    { target, suited }: Pick<BillingStep, 'target' | 'suited'>,
    suits: (thing: Thing) => boolean,
  ) {
    const from = suited ? all.filter(suits) : all;
    return from.length === 0 ? undefined : from[target % from.length];
  }

  item(step: BillingStep, suits: (item: LedgerItem) => boolean): LedgerItem | undefined {
    return this.one([...this.ledger.items.values()], step, suits);
  }

  matterId({ target, other, suited }: BillingStep): string {
    const all = [...this.ledger.matters.keys()];
    const open = this.one(all, { target: other + target, suited }, (id) => !this.ledger.isClosed(id));
    return open ?? all[target % all.length];
  }
}
