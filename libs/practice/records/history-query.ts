import { PickType } from '@nestjs/swagger';
import { ListQuery } from '#platform/http/input/list-query';

/** Parameters of `GET /{area}/{id}/history`. */
export class HistoryQuery extends PickType(ListQuery, ['pageIndex', 'pageSize']) {}
