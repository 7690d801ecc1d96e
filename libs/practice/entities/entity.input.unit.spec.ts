import { bodyFaults } from '../testing/body-faults';
import { EntityInput, EntityPatch } from './entity.input';

describe('the body of an entity', () => {
  const ada = { entityType: 'Individual', lastName: 'Okafor' };

  it('may leave out every optional field, or set it to null', () => {
    expect(bodyFaults(EntityInput, ada)).toEqual([]);
    expect(
      bodyFaults(EntityInput, { ...ada, email: null, phones: null, addresses: null, currency: null }),
    ).toEqual([]);
    expect(bodyFaults(EntityInput, { ...ada, addresses: [{ city: 'Leeds', street: null }] })).toEqual([]);
    expect(bodyFaults(EntityPatch, {})).toEqual([]);
  });

  it.each([
    [{ lastName: 'Okafor' }, '/entityType required'],
    [{ ...ada, entityType: 'Person' }, '/entityType unknown_value'],
    [{ ...ada, phones: '123' }, '/phones is_array'],
    [{ ...ada, phones: [''] }, '/phones matches'],
    [{ ...ada, phones: [1] }, '/phones is_string'],
    [{ ...ada, phones: Array(11).fill('1') }, '/phones too_many'],
    [{ ...ada, addresses: [null] }, '/addresses not_an_object'],
    [{ ...ada, addresses: ['12 Mill Lane'] }, '/addresses not_an_object'],
    [{ ...ada, addresses: [[{ city: 'Leeds' }]] }, '/addresses not_an_object'],
    [{ ...ada, addresses: Array(6).fill({}) }, '/addresses too_many'],
    [{ ...ada, addresses: [{ planet: 'Mars' }] }, '/addresses/0/planet unknown_property'],
    [{ ...ada, email: 'ada' }, '/email is_email'],
    [{ ...ada, currency: 'XXZ' }, '/currency currency'],
  ])('%j has the fault %s', (body, fault) => {
    expect(bodyFaults(EntityInput, body)).toEqual([fault]);
  });

  it('cannot set a required field to null', () => {
    expect(bodyFaults(EntityPatch, { entityType: null })).toEqual(['/entityType required']);
  });
});
