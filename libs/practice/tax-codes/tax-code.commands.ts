import { PartialType } from '@nestjs/swagger';
import { decimal, text } from '#kernel/money';
import { dayGiven } from '#kernel/zone';
import { CodeField } from '#platform/http/input/code-field';
import { ChoiceField, FlagField, NumberField, TextField } from '#platform/http/input/fields';
import { ObjectsField } from '#platform/http/input/list-fields';
import { DayField } from '#platform/http/input/time-fields';
import type { RequestContext } from '#platform/request-context';
import { RecordInput } from '../records/record';
import type { RecordWriting } from '../records/write-record';
import { settings, settingsOf } from '../tenants/tenant.lookup';
import { TaxCode, type TaxCodeState } from './tax-code';
import { type TaxCategory, type TaxRate, type TaxScheme, taxCategories, taxSchemes } from './tax-code.events';
import { requireRates, requireUsedKept } from './tax-code.rates';

export class TaxRateInput {
  @NumberField({
    required: true,
    max: 100,
    decimals: 4,
    example: 20,
    description: 'The rate, in percent of the net amount.',
  })
  percent: number;

  @DayField({ required: true, description: 'The first day of the rate.', example: '2011-01-04' })
  from: string;

  @DayField({ description: 'The last day of the rate. When absent, it is valid until further notice.' })
  to?: string | null;

  @FlagField({
    description: 'Whether an invoice has used the rate, as GET shows it. A value in a request is ignored.',
  })
  isUsed?: boolean | null;
}

export class TaxCodeInput extends RecordInput {
  @CodeField({
    required: true,
    max: 20,
    example: 'STD',
    description: "Must be unique among the tenant's tax codes.",
  })
  code: string;

  @TextField({ required: true, example: 'Standard rate' })
  name: string;

  @ChoiceField(taxSchemes, { description: "Default: the scheme of the tenant's region." })
  scheme?: TaxScheme | null;

  @ChoiceField(taxCategories, {
    required: true,
    description:
      'Zero, Exempt and OutOfScope all bear no tax, but a tax return counts each of them separately.',
  })
  category: TaxCategory;

  @ObjectsField(() => TaxRateInput, {
    max: 50,
    description:
      'Standard and Reduced need at least one rate; the other categories have none. Only one rate may be in force on a ' +
      'day. Once an invoice has used a rate, only its last day can be changed.',
  })
  rates?: TaxRateInput[] | null;
}

export class TaxCodePatch extends PartialType(TaxCodeInput, { skipNullProperties: false }) {}

function asks(context: RequestContext, { scheme }: TaxCodePatch, id?: string) {
  const tenant = settingsOf(context);
  const isDefault = scheme === null || (scheme === undefined && !id);
  return { tenant, ...(isDefault && { schemeOf: tenant }) };
}

export const taxCodeWriting: RecordWriting<TaxCodeState, TaxCodeInput, ReturnType<typeof asks>> = {
  definition: TaxCode,
  defaults: { code: '', name: '', scheme: 'VAT', category: 'Standard', rates: [] },
  asks,
  stored: ({ rates }, { tenant, schemeOf }) => ({
    ...(schemeOf ? { scheme: settings(schemeOf).taxScheme } : {}),
    ...(rates && { rates: ratesFrom(rates, settings(tenant).timeZone) }),
  }),
  check({ next, before }) {
    requireRates(next);
    if (before) requireUsedKept(before.data, next);
  },
};

/** The rates of a request, oldest first. */
function ratesFrom(rates: TaxRateInput[], zone: string): TaxRate[] {
  return rates
    .map(({ percent, from, to }) => ({
      percent: text(decimal(percent)),
      from: dayGiven(zone, from),
      to: to ? dayGiven(zone, to) : null,
    }))
    .sort((one, other) => one.from.localeCompare(other.from));
}
