import { WholeNumberFilter } from '#platform/http/input/list-query';

/** Parameters of `GET /{area}/{id}/history`. */
export class HistoryQuery {
  @WholeNumberFilter('Page, from 0.', { min: 0, max: 10_000_000, default: 0 })
  pageIndex?: number;

  @WholeNumberFilter('Events a page.', { min: 1, max: 200, default: 50 })
  pageSize?: number;
}
