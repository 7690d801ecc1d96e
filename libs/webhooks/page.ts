import { PickType } from '@nestjs/swagger';
import { ListQuery } from '#platform/http/input/list-query';
import type { Page } from '#platform/http/reply';

/** The parameters of every list of webhooks. */
export class PageQuery extends PickType(ListQuery, ['pageIndex', 'pageSize', 'includeTotalCount']) {}

/** A page of a list that is short enough to be read whole. */
export function pageOf<Row>(all: readonly Row[], query: PageQuery): Page<Row> {
  const { pageIndex = 0, pageSize = 50, includeTotalCount = false } = query;
  const to = (pageIndex + 1) * pageSize;
  return {
    rows: all.slice(to - pageSize, to),
    pageIndex,
    pageSize,
    hasMore: all.length > to,
    ...(includeTotalCount && { totalCount: all.length }),
  };
}
