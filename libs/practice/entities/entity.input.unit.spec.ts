import { DomainError } from '#kernel/errors';
import { RequestPipe } from '#platform/http/request.pipe';
import { EntityInput, EntityPatch } from './entity.input';

/** `pointer code` of each fault that the body has; none when it is taken. */
function faults(metatype: new () => object, body: object): string[] {
  try {
    new RequestPipe().transform(body, { type: 'body', metatype });
    return [];
  } catch (error) {
    return (error as DomainError).errors.map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

describe('the body of an entity', () => {
  const ada = { entityType: 'Individual', lastName: 'Okafor' };

  it('may leave everything else out or null', () => {
    expect(faults(EntityInput, ada)).toEqual([]);
    expect(
      faults(EntityInput, { ...ada, email: null, phones: null, addresses: null, currency: null }),
    ).toEqual([]);
    expect(faults(EntityInput, { ...ada, addresses: [{ city: 'Leeds', street: null }] })).toEqual([]);
    expect(faults(EntityPatch, {})).toEqual([]);
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
  ])('%j: %s', (body, fault) => {
    expect(faults(EntityInput, body)).toEqual([fault]);
  });

  it('clears no required field by null', () => {
    expect(faults(EntityPatch, { entityType: null })).toEqual(['/entityType required']);
  });
});
