import type { Folded } from '#event-store/events';
import { type Ask, at } from '#event-store/load';
import { invalid } from '#kernel/errors';
import { toId } from '#kernel/ids';
import type { RequestContext } from '#platform/request-context';
import { Tenant, type TenantState } from './tenant';

export type { TenantState };

/** Asks for the settings of the request's tenant. */
export function settingsOf(context: RequestContext): Ask<Folded<TenantState> | undefined> {
  return at(Tenant, toId('tenant', context.tenant.streamId));
}

/** The loaded settings. A tenant has none only if a crash ended its creation. */
export function settings(folded: Folded<TenantState> | undefined): TenantState {
  if (!folded) throw new Error('The tenant has no settings');
  return folded.data;
}

/** Checks that a currency is the base currency: there are no exchange rates yet. @throws DomainError `currency_not_supported` */
export function requireBaseCurrency(
  currency: string | null | undefined,
  { currency: base }: TenantState,
  field: string,
): void {
  if (currency && currency !== base) {
    throw invalid('currency_not_supported', `${field}: only the base currency ${base} is accepted.`, field);
  }
}
