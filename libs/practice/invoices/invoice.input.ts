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
      'In a PATCH, that of a line which the invoice has, as GET shows it. Lines are replaced from the first that is not ' +
      'as it was; those before it stay. A line that says its id keeps the default tax code when it shows that one.',
  })
  id?: number | null;

  @ChoiceField(lineKinds, {
    required: true,
    description:
      'Fee charges a work item, CostRecovery and Disbursement a cost recovery, each whole; without a source a line is a ' +
      'charge of its own. A Discount is taken off, whatever the sign of its amount. Text has only a description.',
  })
  kind: LineKind;

  @IdField(['workitem', 'costrecovery'], {
    description: "A finalised work item or cost recovery on the invoice's matter that no invoice holds.",
  })
  sourceId?: string | null;

  @TextField({ max: 2000, description: 'That of what the line charges when absent.' })
  description?: string | null;

  @NumberField({
    max: LARGEST_UNITS,
    decimals: 4,
    description: 'What remains of the source when absent; pro rata when only the amount is given.',
  })
  units?: number | null;

  @AmountField({ decimals: 10, description: 'For an hour of timed work, else for a unit.' })
  rate?: AmountInput | number | null;

  @AmountField({
    min: -99_999_999_999,
    description:
      'Net of tax. When absent units × rate if a rate is given, else what remains of the source. What a Fee line charges ' +
      "below or above the item's value is written off or up.",
  })
  amount?: AmountInput | number | null;

  @IdField('taxcode', {
    description: "When absent that of the cost; else the matter's, the client's, the firm's Standard one.",
  })
  taxCodeId?: string | null;

  @NumberField({
    max: 100,
    decimals: 4,
    example: undefined,
    description: 'As GET shows it; it follows from the tax code, and is not taken from here.',
  })
  taxRate?: number | null;
}

export class InvoiceInput extends RecordInput {
  @IdField('client', { required: true })
  clientId: string;

  @IdField('matter', { required: true, description: 'An open matter of the client.' })
  matterId: string;

  @DayField({ description: 'The day of issue when the invoice is issued without naming one.' })
  issueDate?: string | null;

  @DayField({ description: "The issue date and the client's payment terms (30 days) when absent." })
  dueDate?: string | null;

  @CurrencyField({ description: "The matter's when absent; only the base currency is accepted." })
  currency?: string | null;

  @ObjectsField(() => LineInput, { max: MAX_LINES, example: FIXED_FEE })
  lines?: LineInput[] | null;
}

export class InvoicePatch extends PartialType(InvoiceInput, { skipNullProperties: false }) {}

export class LinesInput {
  @ObjectsField(() => LineInput, { max: MAX_LINES, description: 'Lines to add.', example: FIXED_FEE })
  lines?: LineInput[] | null;

  @DayField({
    example: '2025-05-31',
    description:
      'Adds a line for each finalised work item and cost of the matter that was entered up to this day, is worth something and is held by no invoice.',
  })
  unbilledUntil?: string | null;
}

export class IssueInput {
  @DayField({ description: "That of the draft, else today in the tenant's zone." })
  issueDate?: string | null;

  @DayField({
    description:
      "That of the draft, else the issue date and the client's payment terms; always these when it is issued again on another day than the draft's.",
  })
  dueDate?: string | null;
}

export class ReversalInput {
  @DayField({ description: "When it is taken back; today in the tenant's zone when absent." })
  date?: string | null;
}

export class PaymentInput {
  @AmountField({ required: true, min: 0.0001, description: 'At most the balance.' })
  amount: AmountInput | number;

  @DayField({ description: "Today in the tenant's zone when absent." })
  date?: string | null;

  @TextField({ max: 200, example: 'BACS 4711' })
  reference?: string | null;
}

export class PaymentReversalInput extends ReversalInput {
  @TextField({ max: 500 })
  reason?: string | null;
}

export class BadDebtInput {
  @DayField({ description: "When it is given up; today in the tenant's zone when absent." })
  date?: string | null;

  @TextField({ required: true, max: 500 })
  reason: string;
}
