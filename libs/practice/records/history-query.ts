import { WholeNumberFilter } from '#platform/http/input/list-query';

/** Parameters of `GET /{area}/{id}/history`. */
export class HistoryQuery {
  @WholeNumberFilter('Page number. The first page is 0.', { min: 0, max: 10_000_000, default: 0 })
  pageIndex?: number;

  @WholeNumberFilter('Events per page.', { min: 1, max: 200, default: 50 })
  pageSize?: number;
}
