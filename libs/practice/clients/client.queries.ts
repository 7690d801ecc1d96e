import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import { ChoiceFilter, IdFilter, IdsFilter, ListQuery, WholeNumberFilter } from '#platform/http/list-query';
import { type EntityState, streetAddress } from '../entities/entity.lookup';
import { activityView } from '../records/activity';
import { RecordView, recordView } from '../records/record';
import type { RecordList } from '../records/record-list';
import { foldedRow } from '../records/records.queries';
import type { ClientState } from './client';

const text = { type: String, nullable: true } as const;
const number = { type: Number, nullable: true } as const;
const joined = { ...text, required: false, description: 'On GET' } as const;

export class ClientView extends RecordView {
  @ApiProperty() entityId: string;
  @ApiProperty() clientNumber: string;
  @ApiProperty({ description: '0 New, 1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty(text) defaultRateSetId: string | null;
  @ApiProperty(text) taxCodeId: string | null;
  @ApiProperty(text) taxCode: string | null;
  @ApiProperty(text) billingContactId: string | null;
  @ApiProperty(number) paymentTermsDays: number | null;
  @ApiProperty(number) minutesPerUnit: number | null;
  @ApiProperty(joined) sortName?: string | null;
  @ApiProperty(joined) fullName?: string | null;
  @ApiProperty({ ...joined, description: "The entity's first address on one line. On GET" })
  streetAddress?: string | null;
  @ApiProperty({ ...joined, description: "The entity's. On GET" }) currency?: string | null;
  @ApiProperty(joined) billingContactSortName?: string | null;
}

export function clientView(folded: Folded<ClientState>): ClientView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    entityId: data.entityId,
    clientNumber: data.clientNumber,
    ...activityView(data.state),
    defaultRateSetId: null,
    taxCodeId: null,
    taxCode: null,
    billingContactId: data.billingContactId,
    paymentTermsDays: data.paymentTermsDays,
    minutesPerUnit: data.minutesPerUnit === null ? null : Number(data.minutesPerUnit),
  });
}

const sorts = {
  clientNumber: 'r.client_number',
  sortName: 'e.sort_name',
  createdOn: 'r.created_on',
  updatedOn: 'r.updated_on',
};

export class ClientsQuery extends ListQuery {
  @IdsFilter('client')
  declare ids?: string[];

  @WholeNumberFilter('0 New, 1 Active, 2 Inactive.', { min: 0, max: 2 })
  state?: number;

  @IdFilter('entity', 'Only the client that this entity is.')
  entityId?: string;

  @ChoiceFilter(
    'Field to sort by, descending with -.',
    Object.keys(sorts).flatMap((name) => [name, `-${name}`]),
  )
  declare sort?: string;
}

export const clients: RecordList<ClientsQuery, ClientView> = {
  kind: 'client',
  projection: 'clients',
  table: 'clients',
  joins: [
    {
      projection: 'people',
      table: 'people',
      alias: 'e',
      on: 'r.entity_id',
      columns: { sort_name: 'sort_name', full_name: 'full_name', entity: 'state' },
    },
    {
      projection: 'people',
      table: 'people',
      alias: 'b',
      on: 'r.billing_contact_id',
      columns: { contact_sort_name: 'sort_name' },
    },
  ],
  sorts,
  order: 'clientNumber',
  searched: ['r', 'e'],
  filter({ state, entityId }, where) {
    if (state !== undefined) where('r.client_state', '=', state);
    if (entityId !== undefined) where('r.entity_id', '=', toUuid(entityId));
  },
  view(row) {
    const entity = row.entity as EntityState | null;
    return {
      ...clientView(foldedRow(clients, row)),
      sortName: row.sort_name as string | null,
      fullName: row.full_name as string | null,
      streetAddress: entity && streetAddress(entity),
      currency: entity?.currency ?? null,
      billingContactSortName: row.contact_sort_name as string | null,
    };
  },
};
