import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { toUuid } from '#kernel/ids';
import {
  IdFilter,
  IdsFilter,
  ListQuery,
  SortFilter,
  WholeNumberFilter,
} from '#platform/http/input/list-query';
import { type EntityState, streetAddress } from '../entities/entity.lookup';
import { activityName } from '../records/activity';
import { joinedText, nullableText, RecordView, recordView } from '../records/record';
import { foldedRow, type RecordList } from '../records/record-list';
import type { ClientState } from './client';

export class ClientView extends RecordView {
  @ApiProperty() entityId: string;
  @ApiProperty() clientNumber: string;
  @ApiProperty({ type: 'integer', description: '0 New, 1 Active, 2 Inactive' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty({
    ...nullableText,
    description:
      "The rate set for work on the client's matters for which the matter's own has no rate. Null: none.",
  })
  defaultRateSetId: string | null;
  @ApiProperty({
    ...nullableText,
    description:
      "The tax code of the client's invoice lines, unless the line, its cost recovery or the matter has another. Null: none.",
  })
  taxCodeId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The person or organisation to write to about bills. Null: none.',
  })
  billingContactId: string | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many days the client has to pay an invoice; null: 30.',
  })
  paymentTermsDays: number | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The length of a unit, in minutes; null: that of the tenant.',
  })
  minutesPerUnit: number | null;
  @ApiProperty({ ...joinedText, description: 'The code of the tax code. Present only in answers to GET.' })
  taxCode?: string | null;
  @ApiProperty(joinedText) sortName?: string | null;
  @ApiProperty(joinedText) fullName?: string | null;
  @ApiProperty({
    ...joinedText,
    description: 'The first address of the entity, on one line. Present only in answers to GET.',
  })
  streetAddress?: string | null;
  @ApiProperty({ ...joinedText, description: 'The currency of the entity. Present only in answers to GET.' })
  currency?: string | null;
  @ApiProperty(joinedText) billingContactSortName?: string | null;
}

export function clientView(folded: Folded<ClientState>): ClientView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    entityId: data.entityId,
    clientNumber: data.clientNumber,
    state: data.state,
    stateName: activityName(data.state),
    defaultRateSetId: data.defaultRateSetId,
    taxCodeId: data.taxCodeId,
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

  @IdFilter('entity', 'Only the client with this entity.')
  entityId?: string;

  @SortFilter(Object.keys(sorts))
  declare sort?: string;
}

export const clients: RecordList<ClientsQuery, ClientView> = {
  kind: 'client',
  projection: 'clients',
  joins: [
    {
      projection: 'people',
      alias: 'e',
      on: 'r.entity_id',
      columns: { sort_name: 'sort_name', full_name: 'full_name', entity: 'state' },
    },
    {
      projection: 'people',
      alias: 'b',
      on: 'r.billing_contact_id',
      columns: { contact_sort_name: 'sort_name' },
    },
    { projection: 'tax-codes', alias: 't', on: 'r.tax_code_id', columns: { tax_code: 'code' } },
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
    return Object.assign(clientView(foldedRow(clients, row)), {
      taxCode: row.tax_code as string | null,
      sortName: row.sort_name as string | null,
      fullName: row.full_name as string | null,
      streetAddress: entity && streetAddress(entity),
      currency: entity?.currency ?? null,
      billingContactSortName: row.contact_sort_name as string | null,
    });
  },
};
