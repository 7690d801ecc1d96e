import { DomainError } from '#kernel/errors';
import { Division } from '#practice/divisions/division';
import { Entity } from '#practice/entities/entity';
import { TaxCode } from '#practice/tax-codes/tax-code';
import { matters } from '../records/matter-records';
import { clients, employees, entities, suppliers } from '../records/people-records';
import { divisions, taxCodes } from '../records/reference-records';
import { changed, id, made, occasion, refusal } from './testing/changed';
import { updatesOf } from './updates';

describe('updatesOf', () => {
  describe('a division', () => {
    const wanted = (name: string) => ({ fields: { code: 'LIT', name, isDefault: false } });

    it('is given its new name', () => {
      const { types, after } = changed(divisions, wanted('Litigation'), wanted('Disputes'));
      expect(types).toEqual(['DivisionUpdated']);
      expect(after.name).toBe('Disputes');
    });

    it('stays the default when the tenant has made it the default', () => {
      const state = { ...made(divisions, wanted('Litigation')).state, isDefault: true };
      expect(
        updatesOf({ table: 'Division', definition: Division }, state, wanted('Disputes'), occasion),
      ).toEqual([{ type: 'DivisionUpdated', data: { name: 'Disputes' } }]);
    });
  });

  describe('a tax code', () => {
    const wanted = (percent: string, to: string | null = null) => ({
      fields: {
        code: 'S',
        name: 'Standard',
        scheme: 'VAT',
        category: 'Standard',
        rates: [{ percent, from: '2011-01-04', to }],
      },
    });

    it('can be given another rate until an invoice has used its rate', () => {
      expect(changed(taxCodes, wanted('20'), wanted('17.5')).types).toEqual(['TaxCodeUpdated']);
      const { state } = made(taxCodes, wanted('20'));
      const used = TaxCode.evolve(state, { type: 'TaxCodeUsed', data: { from: '2011-01-04' } });
      const update = (to: object) => updatesOf({ table: 'TaxCode', definition: TaxCode }, used, to, occasion);
      expect(() => update(wanted('17.5'))).toThrow(DomainError);
      expect(update(wanted('20', '2030-12-31'))).toHaveLength(1);
    });
  });

  describe('an entity', () => {
    const wanted = (fields: object) => ({
      fields: {
        entityType: 'Individual',
        lastName: 'Okafor',
        firstName: null,
        title: null,
        name: null,
        currency: 'GBP',
        email: null,
        phones: ['020 7946 0000'],
        addresses: [],
        registrationNumber: null,
        taxNumber: null,
        ...fields,
      },
    });

    it('has an event with only the fields that changed', () => {
      const { state } = made(entities, wanted({}));
      const to = wanted({ phones: ['020 7946 0001'] });
      expect(updatesOf({ table: 'Entity', definition: Entity }, state, to, occasion)).toEqual([
        { type: 'EntityUpdated', data: { phones: ['020 7946 0001'] } },
      ]);
    });

    it('cannot become an organisation when it is a person', () => {
      const to = wanted({ entityType: 'Organisation', lastName: null, name: 'Okafor Ltd' });
      expect(refusal(entities, wanted({}), to)).toBe('entity_type_fixed');
    });
  });

  describe.each([
    ['an employee', employees],
    ['a supplier', suppliers],
  ])('%s', (_, maker) => {
    const wanted = (isActive: boolean, entity = 1) => ({
      fields: {
        entityId: id('entity', entity),
        initials: null,
        divisionId: null,
        jobTitle: null,
        billingGrade: null,
        isFeeEarner: true,
        defaultRate: null,
        paymentTermsDays: null,
      },
      isActive,
    });

    it('is deactivated and activated', () => {
      expect(changed(maker, wanted(true), wanted(false)).types).toEqual([
        expect.stringMatching(/Deactivated$/),
      ]);
      expect(changed(maker, wanted(false), wanted(true)).types).toEqual([
        expect.stringMatching(/Activated$/),
      ]);
    });

    it('cannot be given another entity', () => {
      expect(refusal(maker, wanted(true), wanted(true, 2))).toBe('entity_fixed');
    });
  });

  describe('a client', () => {
    const wanted = (state: string, fields: object = {}) => ({
      fields: {
        entityId: id('entity', 1),
        clientNumber: 'C1',
        defaultRateSetId: null,
        taxCodeId: null,
        billingContactId: null,
        paymentTermsDays: 30,
        minutesPerUnit: null,
        ...fields,
      },
      state,
    });

    it.each([
      ['New', 'Active', ['ClientActivated']],
      ['New', 'Inactive', ['ClientActivated', 'ClientDeactivated']],
      ['Active', 'Inactive', ['ClientDeactivated']],
      ['Inactive', 'Active', ['ClientActivated']],
    ])('%s becomes %s', (from, to, types) => {
      const done = changed(clients, wanted(from), wanted(to));
      expect(done.types).toEqual(types);
      expect(done.after).toEqual(made(clients, wanted(to)).state);
    });

    it('that was activated cannot be new again', () => {
      expect(refusal(clients, wanted('Active'), wanted('New'))).toBe('client_activated');
    });

    it('keeps the number that it was given when its row has none', () => {
      const numbered = wanted('Active', { clientNumber: null });
      const { types, after } = changed(
        clients,
        numbered,
        wanted('Active', { clientNumber: null, paymentTermsDays: 14 }),
      );
      expect(types).toEqual(['ClientUpdated']);
      expect(after).toMatchObject({ clientNumber: '1', paymentTermsDays: 14 });
    });
  });

  describe('a matter', () => {
    const wanted = (state: string, dateClosed: string | null = null, fields: object = {}) => ({
      fields: {
        clientId: id('client', 1),
        divisionId: id('division', 1),
        title: 'Sale',
        matterNumber: 'M1',
        matterTypeId: null,
        responsiblePersonId: null,
        actingPersonId: null,
        assistingPersonId: null,
        introducerId: null,
        billingContactId: null,
        currency: 'GBP',
        feeEstimate: null,
        disbursementEstimate: null,
        rateSetId: null,
        taxCodeId: null,
        minutesPerUnit: null,
        dateOpened: '2024-01-02T09:00:00.000Z',
        ...fields,
      },
      state,
      dateClosed,
    });
    const day = '2025-03-04T00:00:00.000Z';
    const later = '2025-04-05T00:00:00.000Z';
    const shapes = [wanted('Open'), wanted('Closed', day), wanted('Closed', later), wanted('Archived', day)];

    it.each(
      shapes.flatMap((from) =>
        shapes.map((to) => [from.state, from.dateClosed, to.state, to.dateClosed] as const),
      ),
    )('%s (%s) becomes %s (%s)', (from, fromDay, to, toDay) => {
      const renamed = { title: 'Purchase' };
      const [before, after] = [wanted(from, fromDay), wanted(to, toDay, from === 'Archived' ? {} : renamed)];
      if (from === 'Archived' && (to !== 'Archived' || fromDay !== toDay)) {
        expect(refusal(matters, before, after)).toBe('matter_archived');
        return;
      }
      const done = changed(matters, before, after);
      expect(done.after).toEqual(made(matters, after).state);
      expect(new Set(done.types).size).toBe(done.types.length);
    });

    it('cannot be given another client', () => {
      const other = wanted('Open', null, { clientId: id('client', 2) });
      expect(refusal(matters, wanted('Open'), other)).toBe('client_fixed');
    });
  });
});
