import { given } from '#kernel/testing/given';
import { archiveMatter, closeMatter, deleteMatter, Matter, reopenMatter, updateMatter } from './matter';
import type { MatterEvent } from './matter.events';

const now = new Date('2025-06-12T10:00:00Z');
const created: MatterEvent = {
  type: 'MatterCreated',
  data: {
    clientId: 'client_00000000000000000000000000000001',
    divisionId: 'division_00000000000000000000000000000002',
    title: 'Purchase',
    matterNumber: '7',
    matterTypeId: null,
    rateSetId: null,
    taxCodeId: null,
    responsiblePersonId: null,
    actingPersonId: null,
    assistingPersonId: null,
    introducerId: null,
    billingContactId: null,
    currency: 'GBP',
    feeEstimate: null,
    disbursementEstimate: null,
    minutesPerUnit: null,
    dateOpened: '2025-06-01T00:00:00.000Z',
    externalReference: null,
    referenceOwner: null,
  },
};
const closed: MatterEvent = { type: 'MatterClosed', data: { dateClosed: now.toISOString() } };
const archived: MatterEvent = { type: 'MatterArchived', data: { dateArchived: now.toISOString() } };

const none = { work: 0, costs: 0, drafts: 0 };

describe('a matter', () => {
  it('closes only when all work is billed or written off, and otherwise tells how much is not', () => {
    given(Matter, [created])
      .when((state) => closeMatter(state, none, now))
      .thenEvents([closed]);
    given(Matter, [created])
      .when((state) => closeMatter(state, { ...none, work: 3 }, now))
      .thenRefused('unbilled_work');
    expect(() => closeMatter(given(Matter, [created]).state!, { work: 3, costs: 1, drafts: 2 }, now)).toThrow(
      '3 unbilled work items, 1 unbilled cost recovery, 2 draft invoices',
    );
    given(Matter, [created, closed])
      .when((state) => closeMatter(state, none, now))
      .thenEvents([]);
  });

  it('goes Open → Closed → Open and Closed → Archived, nothing else', () => {
    given(Matter, [created, closed])
      .when(reopenMatter)
      .thenEvents([{ type: 'MatterReopened', data: {} }]);
    given(Matter, [created, closed])
      .when((state) => archiveMatter(state, now))
      .thenEvents([archived]);
    given(Matter, [created])
      .when((state) => archiveMatter(state, now))
      .thenRefused('matter_not_closed');
    given(Matter, [created, closed, archived]).when(reopenMatter).thenRefused('matter_not_closed');
    given(Matter, [created, closed, archived])
      .when((state) => closeMatter(state, none, now))
      .thenRefused('matter_not_open');
  });

  it('keeps its client once it has work, and its fields once it is archived', () => {
    const other = { clientId: 'client_00000000000000000000000000000009' };
    given(Matter, [created])
      .when((state) => updateMatter(state, other, 0))
      .thenEvents([{ type: 'MatterUpdated', data: other }]);
    given(Matter, [created])
      .when((state) => updateMatter(state, other, 1))
      .thenRefused('client_fixed');
    const change = (work: number) => () => updateMatter(Matter.evolve(undefined, created), other, work);
    expect(change(1)).toThrow('The client of the matter cannot be changed: 1 record belongs to it.');
    expect(change(2)).toThrow('The client of the matter cannot be changed: 2 records belong to it.');
    given(Matter, [created, closed, archived])
      .when((state) => updateMatter(state, { title: 'x' }, 0))
      .thenRefused('matter_archived');
  });

  it('is deleted only while nothing refers to it', () => {
    given(Matter, [created])
      .when(() => deleteMatter(1))
      .thenRefused('in_use');
    given(Matter, [created])
      .when(() => deleteMatter(0))
      .thenEvents([{ type: 'MatterDeleted', data: {} }]);
  });

  it('points at its client as an open matter only while it is open, and frees its number when deleted', () => {
    const kinds = (events: MatterEvent[]) =>
      Matter.links(given(Matter, events).state!).map(({ kind }) => kind);
    expect(kinds([created])).toContain('open_matter');
    expect(kinds([created, closed])).not.toContain('open_matter');
    expect(kinds([created, { type: 'MatterDeleted', data: {} }])).toEqual([]);
    expect(Matter.keys(given(Matter, [created]).state!)).toEqual([{ kind: 'matter_number', key: '7' }]);
    expect(Matter.keys(given(Matter, [created, { type: 'MatterDeleted', data: {} }]).state!)).toEqual([]);
  });
});
