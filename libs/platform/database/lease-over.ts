/**
 * SQL: whether nobody holds a lease any more. One that ends further ahead than any lease can was taken before the
 * server's clock was set back, perhaps by a worker that has died since. A clock that is set back by up to a minute takes
 * no lease from a worker that renews it.
 * @param until the column with the end of the lease; null when nobody has taken it
 * @param lasts how many milliseconds a lease lasts
 */
export function leaseOver(until: string, lasts: string): string {
  return `coalesce(${until} < clock_timestamp()
    or ${until} > clock_timestamp() + ${lasts} * interval '1 millisecond' + interval '1 minute', true)`;
}
