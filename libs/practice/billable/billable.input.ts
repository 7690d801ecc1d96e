import { AmountField, type AmountInput } from '#platform/http/input/amount-field';
import { LARGEST_UNITS, NumberField, TextField } from '#platform/http/input/fields';
import { DayField } from '#platform/http/input/time-fields';

export class WriteOffInput {
  @DayField({
    description:
      "The day of the write-off. When absent, it is today in the tenant's time zone, or the day of the entry date if that " +
      'is later. An earlier day than that of the entry date is refused with 422 `before_entry`.',
  })
  writeOffDate?: string | null;

  @TextField({ required: true, max: 500, description: 'Why the value is given up.' })
  reason: string;

  @NumberField({
    min: 0.0001,
    max: LARGEST_UNITS,
    decimals: 4,
    description:
      'How many units to write off; their share of the value goes with them. Not together with an amount.',
  })
  units?: number | null;

  // A write-off usually takes all that remains, so the example of the request does not name an amount.
  @AmountField({
    min: 0.0001,
    example: undefined,
    description:
      'The value to write off, with its share of the units. Without units and amount: all that remains.',
  })
  amount?: AmountInput | number | null;
}

/** Describes the action that undoes the write-offs of a record. */
export const reinstating = {
  description:
    'Undoes all write-offs, but not what an invoice wrote off. The day of the reversal is today in the ' +
    "tenant's time zone, or that of the latest write-off if that is later.",
};
