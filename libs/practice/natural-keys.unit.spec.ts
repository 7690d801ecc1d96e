import { ClientInput, ClientPatch } from './clients/client.input';
import {
  DisbursementCodeInput,
  DisbursementCodePatch,
} from './disbursement-codes/disbursement-code.commands';
import { MatterInput, MatterPatch } from './matters/matter.input';
import { TaskTypeInput, TaskTypePatch } from './task-types/task-type.commands';
import { TaxCodeInput, TaxCodePatch } from './tax-codes/tax-code.commands';
import { bodyFaults } from './testing/body-faults';

it.each<[field: string, ...bodies: (new () => object)[]]>([
  ['clientNumber', ClientInput, ClientPatch],
  ['matterNumber', MatterInput, MatterPatch],
  ['code', TaskTypeInput, TaskTypePatch],
  ['code', TaxCodeInput, TaxCodePatch],
  ['code', DisbursementCodeInput, DisbursementCodePatch],
])('a %s with blanks around it or with decomposed accents is refused', (field, ...bodies) => {
  for (const body of bodies) {
    for (const text of [' M-1', 'M-1\t', 'Cafe\u0301'])
      expect(bodyFaults(body, { [field]: text })).toContain(`/${field} not_normalised`);
    expect(bodyFaults(body, { [field]: 'Caf\u00e9 1' })).not.toContain(`/${field} not_normalised`);
  }
});
