import { PartialType } from '@nestjs/swagger';
import { AmountField, type AmountInput } from '#platform/http/input/amount-field';
import {
  ChoiceField,
  CurrencyField,
  IdField,
  LARGEST_UNITS,
  NumberField,
  TextField,
} from '#platform/http/input/fields';
import { ObjectsField } from '#platform/http/input/list-fields';
import { DayField } from '#platform/http/input/time-fields';
import { RecordInput } from '../records/record';
import { MAX_LINES } from './invoice';
import { type LineKind, lineKinds } from './invoice.events';

const FIXED_FEE = [{ kind: 'Fee', description: 'Fixed fee', amount: { Amount: 120, Currency: 'GBP' } }];

export class LineInput {
  @NumberField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    example: undefined,
    description:
      'Only in a PATCH: the id of a line that the invoice has, as GET shows it. Lines are replaced from the first one ' +
      'that differs; those before it stay. A line that is sent with its id and with the default tax code keeps ' +
      'following the default.',
  })
  id?: number | null;

  @ChoiceField(lineKinds, {
    required: true,
    description:
      'A Fee charges a work item; a CostRecovery or Disbursement charges a cost recovery. One line settles the whole ' +
      'record. A line without a sourceId is a charge of its own. A Discount is subtracted, whatever the sign of its ' +
      'amount. A Text has only a description.',
  })
  kind: LineKind;

  @IdField(['workitem', 'costrecovery'], {
    description:
      "The work item or cost recovery that the line charges. It must be finalised, on the invoice's matter, and on no " +
      'other invoice.',
  })
  sourceId?: string | null;

  @TextField({ max: 2000, description: 'When absent, it is the text of the record that the line charges.' })
  description?: string | null;

  @NumberField({
    max: LARGEST_UNITS,
    decimals: 4,
    description:
      'The number of units charged. When absent, it is what remains of the record that the line charges, or a ' +
      'proportional part of that when an amount is given. A charge of its own with a rate and no amount has 1 unit.',
  })
  units?: number | null;

  @AmountField({ decimals: 10, description: 'The rate for one hour of timed work, or else for one unit.' })
  rate?: AmountInput | number | null;

  @AmountField({
    min: -99_999_999_999,
    description:
      'The amount without tax. When absent, it is units × rate if a rate is given, or else what remains of the record ' +
      'that the line charges (with units: a proportional part of that). If a line charges less or more than what ' +
      'remains of its record, issuing the invoice writes the difference off or up.',
  })
  amount?: AmountInput | number | null;

  @IdField('taxcode', {
    description:
      'When absent, it is the first that is found of these: the tax code of the cost recovery that the line charges, ' +
      "of the matter, of the client, the firm's Standard code.",
  })
  taxCodeId?: string | null;

  @NumberField({
    max: 100,
    decimals: 4,
    example: undefined,
    description:
      'The tax rate in percent, as GET shows it. It follows from the tax code; a value in a request is ignored.',
  })
  taxRate?: number | null;
}

export class InvoiceInput extends RecordInput {
  @IdField('client', { required: true, description: 'The client who pays the invoice.' })
  clientId: string;

  @IdField('matter', { required: true, description: 'An open matter of the client.' })
  matterId: string;

  @DayField({ description: 'The day of issue, if the request that issues the invoice names none.' })
  issueDate?: string | null;

  @DayField({
    description:
      "The last day to pay. Default: set when the invoice is issued, to the issue date plus the client's payment terms " +
      '(30 days if the client has none).',
  })
  dueDate?: string | null;

  @CurrencyField({
    description: "Default: the currency of the matter. Only the tenant's base currency is accepted.",
  })
  currency?: string | null;

  @ObjectsField(() => LineInput, {
    max: MAX_LINES,
    description: 'The lines, in their order.',
    example: FIXED_FEE,
  })
  lines?: LineInput[] | null;
}

export class InvoicePatch extends PartialType(InvoiceInput, { skipNullProperties: false }) {}

export class LinesInput {
  @ObjectsField(() => LineInput, { max: MAX_LINES, description: 'Lines to add.', example: FIXED_FEE })
  lines?: LineInput[] | null;

  @DayField({
    example: '2025-05-31',
    description:
      'Adds a line for each finalised work item and cost recovery of the matter with an entry date up to and including ' +
      'this day, if it has a value and is on no invoice.',
  })
  unbilledUntil?: string | null;
}

export class IssueInput {
  @DayField({
    description:
      "The day of issue. When absent, it is that of the draft; if the draft has none, today in the tenant's time zone.",
  })
  issueDate?: string | null;

  @DayField({
    description:
      'The last day to pay. When absent, it is that of the draft; if the draft has none, the issue date plus the ' +
      "client's payment terms. When an invoice is issued again, with another issue date than the draft has, the due " +
      'date of the draft is not used.',
  })
  dueDate?: string | null;
}

export class ReversalInput {
  @DayField({
    description:
      "The day of the reversal. When absent, it is today in the tenant's time zone, or the issue date if that is later. " +
      'An earlier day than the issue date is refused with 422 `before_issue`.',
  })
  date?: string | null;
}

export class PaymentInput {
  @AmountField({
    required: true,
    min: 0.0001,
    description: 'The amount that was paid. At most the balance of the invoice.',
  })
  amount: AmountInput | number;

  @DayField({
    description:
      "The day of the payment. When absent, it is today in the tenant's time zone. It may be before the issue date, as for " +
      'money that the firm held on account.',
  })
  date?: string | null;

  @TextField({
    max: 200,
    example: 'BACS 4711',
    description: 'A text by which the firm finds the payment again, such as that on the bank statement.',
  })
  reference?: string | null;
}

export class PaymentReversalInput {
  @DayField({
    description:
      "The day of the reversal. When absent, it is today in the tenant's time zone, or the day of the payment if that is " +
      'later. An earlier day than that of the payment is refused with 422 `before_payment`.',
  })
  date?: string | null;

  @TextField({ max: 500, description: 'Why the payment is reversed.' })
  reason?: string | null;
}

export class BadDebtInput {
  @DayField({
    description:
      "The day on which the debt is written off. When absent, it is today in the tenant's time zone, or the issue date " +
      'if that is later. An earlier day than the issue date is refused with 422 `before_issue`.',
  })
  date?: string | null;

  @TextField({ required: true, max: 500, description: 'Why the debt is given up.' })
  reason: string;
}
