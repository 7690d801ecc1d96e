import type { BilledFirm } from './billed-firm';

/**
 * June 2025 in a firm: work is billed below and above its value, unissued, voided, written off by hand and reinstated.
 * @param step called with each step
 */
export async function liveBilling(
  firm: BilledFirm,
  step: <Result>(name: string, work: Promise<Result>) => Promise<Result>,
): Promise<void> {
  // Both are on one invoice.
  const below = await step('recorded', firm.task('Ash', 'M1', '2025-06-02', 10));
  const above = await step('recorded', firm.work('Ash', 'M1', '2025-06-03', 10));
  const charges: [string, number][] = [
    [below, 80],
    [above, 130],
  ];
  await step('billed below and above', firm.bill('M1', '2025-06-10', charges));

  const unissued = await firm.work('Bell', 'M1', '2025-06-04', 20);
  const again = await step('billed above', firm.bill('M1', '2025-06-11', [[unissued, 250]]));
  await step('unissued', firm.unissue(again, '2025-06-20'));

  const voided = await firm.work('Bell', 'M2', '2025-06-05', 5);
  const cancelled = await step('billed below', firm.bill('M2', '2025-06-12', [[voided, 40]]));
  await step('voided', firm.void(cancelled, '2025-07-01'));

  const partly = await firm.task('Ash', 'M2', '2025-06-06', 4);
  await step('written off in part', firm.writeOff(partly, '2025-06-15', { amount: 10 }));
  const wholly = await firm.work('Ash', 'M2', '2025-06-07', 2);
  await step('written off', firm.writeOff(wholly, '2025-06-16'));
  const back = await firm.work('Bell', 'M2', '2025-06-08', 3);
  await step('written off', firm.writeOff(back, '2025-06-17'));
  await step(
    'reinstated',
    firm.on('2025-06-25', () => firm.reinstate(back)),
  );

  const rest = await firm.work('Bell', 'M1', '2025-06-09', 10);
  await step('written off in part', firm.writeOff(rest, '2025-06-18', { units: 2.5 }));
  await step('the rest billed', firm.bill('M1', '2025-06-30', [[rest]]));

  const pending = await firm.work('Ash', 'M1', '2025-06-10', 1);
  await step('unfinalised', firm.unfinalise(pending));
  await step('not billable', firm.work('Ash', 'M1', '2025-06-10', 7, { isBillable: false }));
  await step('on no matter', firm.work('Ash', null, '2025-06-11', 9));
  const drafted = await firm.work('Ash', 'M1', '2025-06-12', 6);
  await step('on a draft', firm.draft('M1', [[drafted, 50]]));
}
