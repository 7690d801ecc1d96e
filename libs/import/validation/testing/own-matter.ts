/** Fields of the tenant's own matter; tests add its client, number, division and units. */
export const ownMatter = {
  title: 'Lease',
  currency: 'GBP',
  matterTypeId: null,
  responsiblePersonId: null,
  actingPersonId: null,
  assistingPersonId: null,
  introducerId: null,
  billingContactId: null,
  feeEstimate: null,
  disbursementEstimate: null,
  rateSetId: null,
  taxCodeId: null,
  dateOpened: '2020-01-01T00:00:00.000Z',
};
