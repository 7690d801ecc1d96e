import { ApiProperty } from '@nestjs/swagger';
import type { Folded } from '#event-store/events';
import { type MoneyRecord, moneyRecord } from '#kernel/money';
import { joinedText, MoneyView, nullableText, RecordView, recordView } from '../records/record';
import { type MatterState, matterStatusName } from './matter';

export class PersonView {
  @ApiProperty({ description: '`Family, Given`' })
  sortName: string;
  @ApiProperty({ type: String, nullable: true })
  initials: string | null;
  @ApiProperty({ type: String, nullable: true })
  jobTitle: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The grade by which rate sets and agreed rates can name employees.',
  })
  billingGrade: string | null;
}

const joinedPerson = {
  type: PersonView,
  nullable: true,
  required: false,
  description: 'Present only in answers to GET.',
} as const;

export class MatterView extends RecordView {
  @ApiProperty({ type: 'integer', description: '1 Open, 2 Closed, 3 Archived' }) state: number;
  @ApiProperty() stateName: string;
  @ApiProperty() clientId: string;
  @ApiProperty() divisionId: string;
  @ApiProperty() title: string;
  @ApiProperty({ description: 'The form of the title by which lists are sorted' }) sortTitle: string;
  @ApiProperty() matterNumber: string;
  @ApiProperty(nullableText) matterTypeId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The employee who is responsible for the matter. Null: none.',
  })
  responsiblePersonId: string | null;
  @ApiProperty({ ...nullableText, description: 'The employee who does the work. Null: none.' })
  actingPersonId: string | null;
  @ApiProperty({ ...nullableText, description: 'The employee who assists. Null: none.' })
  assistingPersonId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The person or organisation who brought the matter to the firm. Null: none.',
  })
  introducerId: string | null;
  @ApiProperty({
    ...nullableText,
    description: 'The person or organisation to write to about bills. Null: none.',
  })
  billingContactId: string | null;
  @ApiProperty({ description: 'The currency in which the matter is billed (ISO 4217).' })
  currency: string;
  @ApiProperty({ type: MoneyView, nullable: true, description: 'The fees that were estimated.' })
  feeEstimate: MoneyRecord | null;
  @ApiProperty({ type: MoneyView, nullable: true, description: 'The disbursements that were estimated.' })
  disbursementEstimate: MoneyRecord | null;
  @ApiProperty({ ...nullableText, description: "The matter's own rate set. Null: none." })
  rateSetId: string | null;
  @ApiProperty({
    ...nullableText,
    description:
      "The tax code of the matter's invoice lines, unless the line or its cost recovery has another. Null: none.",
  })
  taxCodeId: string | null;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'The length of a unit, in minutes; null: that of the client, or else that of the tenant.',
  })
  minutesPerUnit: number | null;
  @ApiProperty({ format: 'date-time', description: 'When the matter was opened.' }) dateOpened: string;
  @ApiProperty({ ...nullableText, format: 'date-time', description: 'When it was closed; null: it is open.' })
  dateClosed: string | null;
  @ApiProperty({
    ...nullableText,
    format: 'date-time',
    description: 'When it was archived; null: it was not.',
  })
  dateArchived: string | null;
  @ApiProperty({
    ...joinedText,
    description:
      "The root collection of the matter's documents; null while there is none. Present only in answers to GET.",
  })
  documentCollectionId?: string | null;
  @ApiProperty({
    ...joinedText,
    description:
      'The oldest draft invoice on the matter; null if there is none. Present only in answers to GET.',
  })
  draftInvoiceId?: string | null;
  @ApiProperty(joinedText) clientEntityId?: string | null;
  @ApiProperty(joinedText) clientSortName?: string | null;
  @ApiProperty(joinedText) divisionName?: string | null;
  @ApiProperty(joinedText) matterType?: string | null;
  @ApiProperty(joinedText) billingContactSortName?: string | null;
  @ApiProperty(joinedPerson) responsiblePerson?: PersonView | null;
  @ApiProperty(joinedPerson) actingPerson?: PersonView | null;
  @ApiProperty(joinedPerson) assistingPerson?: PersonView | null;
}

export function matterView(folded: Folded<MatterState>): MatterView {
  const { data } = folded;
  return Object.assign(recordView(folded), {
    state: data.state,
    stateName: matterStatusName(data.state),
    clientId: data.clientId,
    divisionId: data.divisionId,
    title: data.title,
    sortTitle: data.title,
    matterNumber: data.matterNumber,
    matterTypeId: data.matterTypeId,
    responsiblePersonId: data.responsiblePersonId,
    actingPersonId: data.actingPersonId,
    assistingPersonId: data.assistingPersonId,
    introducerId: data.introducerId,
    billingContactId: data.billingContactId,
    currency: data.currency,
    feeEstimate: data.feeEstimate && moneyRecord(data.feeEstimate),
    disbursementEstimate: data.disbursementEstimate && moneyRecord(data.disbursementEstimate),
    rateSetId: data.rateSetId,
    taxCodeId: data.taxCodeId,
    minutesPerUnit: data.minutesPerUnit === null ? null : Number(data.minutesPerUnit),
    dateOpened: data.dateOpened,
    dateClosed: data.dateClosed,
    dateArchived: data.dateArchived,
  });
}
