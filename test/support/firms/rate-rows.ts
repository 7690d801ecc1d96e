import { dayText } from './days';
import type { Staffed } from './making';

/** The firm's rate sets: the default one by grade and job title, another one with every kind of key. */
export function writeRateSets({ writer, currency, people }: Staffed): void {
  const set = (id: string, name: string, isDefault: boolean) =>
    writer.add('RateSet', { ImportId: id, Name: name, Currency: currency, IsDefault: isDefault });
  set('RS-1', 'Standard charges', true);
  set('RS-2', 'Insurers', false);
  let last = 0;
  const entry = (rateSet: string, rate: string, keys: object, per = 'Hour') =>
    writer.add('RateSetEntry', {
      ImportId: `RSE-${++last}`,
      RateSetId: rateSet,
      Rate: rate,
      Per: per,
      ...keys,
    });
  for (const [index, grade] of ['A', 'B', 'C', 'D'].entries())
    entry('RS-1', `${300 - index * 60}.0000000000`, { BillingGrade: grade });
  entry('RS-1', '150.0000000000', {});
  entry('RS-1', '45.0000000000', {}, 'Unit');
  entry('RS-2', '210.3333333333', { EmployeeId: people.feeEarners[0].id, MatterTypeId: 'MT-10' });
  entry('RS-2', '188.0000000001', { TaskTypeId: 'TASK-1' });
  entry('RS-2', '165.0000000000', { JobTitle: 'Associate' });
  entry('RS-2', '12.5000000000', { TaskTypeId: 'TASK-3' }, 'Unit');
}

/**
 * Rates agreed for a client or a matter: two that follow each other, and one for other work at the same time.
 * @param scope.index every third has agreed rates
 */
export function writeAgreedRates(
  { writer, cutover, people }: Staffed,
  scope: { kind: 'Client' | 'Matter'; id: string; index: number },
): void {
  if (scope.index % 3 !== 0) return;
  const change = cutover - 200 - (scope.index % 90);
  const add = (name: string, from: number, to: number | null, rate: string, keys: object, per = 'Hour') =>
    writer.add('ApplicableRate', {
      ImportId: `AR/${scope.id}/${name}`,
      Scope: scope.kind,
      ScopeId: scope.id,
      Rate: rate,
      Per: per,
      EffectiveFrom: dayText(from),
      EffectiveTo: to === null ? null : dayText(to),
      ...keys,
    });
  const employee = people.feeEarners.find(({ isActive }) => isActive)!.id;
  const keys = scope.index % 2 === 0 ? { BillingGrade: 'A' } : { EmployeeId: employee };
  add('1', change - 300, change - 1, '199.9900000000', keys);
  add('2', change, null, '205.7512345678', keys);
  add('3', change, change + 100, '80.0000000000', { TaskTypeId: 'TASK-3' }, 'Unit');
}
