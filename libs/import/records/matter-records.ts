import { archiveMatter, closeMatter, MATTER_NUMBER, Matter } from '#practice/matters/matter';
import type { MatterEvent, MatterFields } from '#practice/matters/matter.events';
import { noReference } from '#practice/records/record';
import { Evolving } from './evolving';
import type { Maker } from './imported-record';
import { instantOf, maybeMoney, needed } from './row';

export interface WantedMatter {
  /** The matter number is null when the next one is to be given. */
  fields: Omit<MatterFields, 'matterNumber'> & { matterNumber: string | null };
  state: string;
  /** ISO 8601 UTC. */
  dateClosed: string | null;
}

/** Nothing prevents the closing of a matter: the validation has checked that no unbilled row keeps it open. */
export const NOTHING_LEFT = { work: 0, costs: 0, drafts: 0 };

export const matters: Maker<WantedMatter> = {
  table: 'Matter',
  definition: Matter,
  wanted: (row, { ids, settings }) => ({
    fields: {
      clientId: ids.to('Client', needed(row, 'ClientId')),
      divisionId: ids.to('Division', needed(row, 'DivisionId')),
      title: needed(row, 'Title'),
      matterNumber: row.MatterNumber,
      matterTypeId: ids.maybeTo('MatterType', row.MatterTypeId),
      responsiblePersonId: ids.maybeTo('Employee', row.ResponsiblePersonId),
      actingPersonId: ids.maybeTo('Employee', row.ActingPersonId),
      assistingPersonId: ids.maybeTo('Employee', row.AssistingPersonId),
      introducerId: null,
      billingContactId: null,
      currency: row.Currency ?? settings.currency,
      feeEstimate: maybeMoney(row.FeeEstimate, settings.currency),
      disbursementEstimate: null,
      rateSetId: null,
      taxCodeId: null,
      minutesPerUnit: null,
      dateOpened: instantOf(needed(row, 'DateOpened')),
    },
    state: needed(row, 'State'),
    dateClosed: row.State === 'Open' || row.DateClosed === null ? null : instantOf(row.DateClosed),
  }),
  /** An archived matter is archived as of the day of its closing: the source has no other day. */
  create({ fields, state, dateClosed }, { numbers }) {
    const { number: matterNumber, counters } = numbers.take(MATTER_NUMBER, fields.matterNumber);
    const first: MatterEvent = { type: 'MatterCreated', data: { ...fields, matterNumber, ...noReference } };
    if (state === 'Open') return { events: [first], counters };
    const ended = new Date(dateClosed!);
    const matter = new Evolving(Matter, Matter.evolve(undefined, first));
    matter.apply(closeMatter(matter.now, NOTHING_LEFT, ended));
    if (state === 'Archived') matter.apply(archiveMatter(matter.now, ended));
    return { events: [first, ...matter.events], counters };
  },
  learn: (known, id, { fields }) => known.matter(id, fields),
};
