import type { PromotionStep } from '#import/promotion/promotion-run';
import { toUuid } from '#kernel/ids';
import { PROJECTIONS } from './intact';

export type Victim = 'worker' | 'database' | 'projector';

/** A point at which a promotion can be stopped, and what is killed there. */
export interface Point {
  step: PromotionStep;
  /** What the step has done at this point, and what it has not. */
  at: string;
  victim: Victim;
  /** Locks what the promotion needs next. Nobody else is held up for longer than the promotion stands at the point. */
  sql: string;
  values: unknown[];
}

interface Promoted {
  requestId: string;
  tenantId: number;
  /** Ids of records that are appended at the beginning, midway, and last of all. */
  arriving: [string, string, string];
}

/** The points in the order in which a promotion passes them. Every victim dies in every step. */
export function pointsOf({ requestId, tenantId, arriving }: Promoted): Point[] {
  const arrival = (id: string) => ({
    // A row with the same key, in a transaction that does not commit.
    sql: `insert into import.records (tenant_id, record_id, digest, version, created_by)
          values ($1, $2, '', 1, $3)`,
    values: [tenantId, toUuid(id), requestId],
  });
  const counting = { sql: 'lock table import.records in access exclusive mode', values: [] };
  const [first, midway, last] = arriving;
  const points: Record<PromotionStep, Omit<Point, 'step'>[]> = {
    Checking: [
      {
        at: 'the tenant stands still, nothing is checked',
        victim: 'worker',
        values: [],
        sql: 'lock table import.findings in share mode',
      },
      { at: 'all rows are checked', victim: 'database', ...counting },
      {
        at: 'the next turn, before the tenant is closed again',
        victim: 'projector',
        values: [],
        sql: 'lock table event_store.closed_tenants in share mode',
      },
    ],
    Appending: [
      { at: 'in the first chunk', victim: 'worker', ...arrival(first) },
      { at: 'a part is appended', victim: 'database', ...arrival(midway) },
      { at: 'in the last chunk', victim: 'projector', ...arrival(last) },
    ],
    Renewing: [
      {
        // This lock needs no transaction id. One with an id would hold the feed back behind the last chunk.
        at: 'some read models are built',
        victim: 'worker',
        values: [],
        sql: 'lock table read_model.work_items in share update exclusive mode',
      },
      {
        at: 'all are being shown, but for the last',
        victim: 'database',
        sql: `insert into read_model.live (projection, tenant_id, generation)
              select projection, $2, generation from read_model.live where projection = $1 and tenant_id = 0`,
        values: [PROJECTIONS.at(-1), tenantId],
      },
      {
        at: 'all are built once more, none is shown',
        victim: 'projector',
        values: ['work-items'],
        sql: 'select from read_model.live where projection = $1 and tenant_id = 0 for key share',
      },
    ],
    Announcing: [
      { at: 'all is shown and stands still', victim: 'worker', ...counting },
      {
        at: 'it is announced, and the tenant closed',
        victim: 'database',
        values: [tenantId],
        sql: 'select from event_store.closed_tenants where tenant_id = $1 for key share',
      },
      { at: 'the next turn', victim: 'projector', ...counting },
      {
        at: 'the tenant takes writes, nobody has heard of the end',
        victim: 'worker',
        values: [],
        sql: `lock table import_${requestId.replaceAll('-', '')}."Info" in access share mode`,
      },
    ],
  };
  return Object.entries(points).flatMap(([step, those]) =>
    those.map((point) => ({ ...point, step: step as PromotionStep })),
  );
}
