import type { ClientBase } from 'pg';
import { DomainError } from '#kernel/errors';
import { toUuid } from '#kernel/ids';
import type { TenantRef } from '#platform/request-context';
import { type BillableState, BillableStatus } from '#practice/billable/billable';
import { type ClientState, deactivateClient, OPEN_MATTER } from '#practice/clients/client';
import { type InvoiceState, InvoiceStatus } from '#practice/invoices/invoice';
import {
  closeMatter,
  DRAFT_INVOICE,
  type MatterState,
  MatterStatus,
  UNBILLED_COST,
  UNBILLED_WORK,
} from '#practice/matters/matter';
import { Activity } from '#practice/records/activity';
import type { ImportedRecord } from '../records/imported-record';
import type { WantedMatter } from '../records/matter-records';
import type { WantedClient } from '../records/people-records';
import type { Hindrance } from './partings';

/** The number of open records, by kind of link. */
type Count = (kind: string) => number;

/** A matter that its row closes, or a client that its row deactivates. */
interface Ending {
  table: string;
  importId: string;
  /** Decides as the command would. @throws DomainError when open records prevent the end */
  end(open: Count): unknown;
}

const KINDS = [UNBILLED_WORK, UNBILLED_COST, DRAFT_INVOICE, OPEN_MATTER];
const AT_ONCE = 1_000;

/**
 * Finds matters and clients that their rows end although the tenant has open records with them: the tenant's own, and those
 * of earlier imports whose rows are gone or unchanged. Records that changed rows leave open are found by the validation.
 */
export class Endings {
  /** By the record's UUID, as `changed` is. */
  private readonly endings = new Map<string, Ending>();
  private readonly changed = new Set<string>();

  /** Adds a changed row, in the import's order. @param state the state of its record; null: production has edited it */
  add({ table, importId, id, wanted }: ImportedRecord, state: object | null): void {
    if (state === null) return;
    const uuid = toUuid(id);
    if (table === 'Client') {
      const client = state as ClientState;
      const isEnded = (wanted as WantedClient).state === 'Inactive' && client.state === Activity.Active;
      if (isEnded)
        this.endings.set(uuid, {
          table,
          importId,
          end: (open) => deactivateClient(client, open(OPEN_MATTER)),
        });
    } else if (table === 'Matter') {
      const matter = state as MatterState;
      if ((wanted as WantedMatter).state === 'Open' || matter.state !== MatterStatus.Open) return;
      this.changed.add(uuid);
      this.endings.set(uuid, {
        table,
        importId,
        end: (open) => closeMatter(matter, unfinished(open), new Date()),
      });
    } else if (isOpenOnMatter(table, state) && this.endings.has(toUuid(state.matterId)))
      this.changed.add(uuid);
  }

  /** The rows that cannot arrive. To be called once all changed rows are added. */
  async hindrances(session: ClientBase, { id: tenantId }: TenantRef): Promise<Hindrance[]> {
    const found: Hindrance[] = [];
    const uuids = [...this.endings.keys()];
    for (let from = 0; from < uuids.length; from += AT_ONCE) {
      const some = uuids.slice(from, from + AT_ONCE);
      const { rows } = await session.query<{ target: string; kind: string; source: string }>(
        `select target, kind, source from event_store.links
         where tenant_id = $1 and target = any($2::uuid[]) and kind = any($3)`,
        [tenantId, some, KINDS],
      );
      const counts = new Map<string, number>();
      for (const { target, kind, source } of rows) {
        const of = `${target} ${kind}`;
        if (!this.changed.has(source)) counts.set(of, (counts.get(of) ?? 0) + 1);
      }
      for (const uuid of some)
        found.push(...hindranceOf(this.endings.get(uuid)!, (kind) => counts.get(`${uuid} ${kind}`) ?? 0));
    }
    return found;
  }
}

function isOpenOnMatter(table: string, state: object): state is { matterId: string } {
  if (table === 'Invoice') return (state as InvoiceState).state === InvoiceStatus.Draft;
  if (table !== 'WorkItem' && table !== 'CostRecovery') return false;
  const { state: status, matterId } = state as BillableState & { matterId: string | null };
  return matterId !== null && (status === BillableStatus.Pending || status === BillableStatus.Finalised);
}

function unfinished(open: Count) {
  return { work: open(UNBILLED_WORK), costs: open(UNBILLED_COST), drafts: open(DRAFT_INVOICE) };
}

function hindranceOf({ table, importId, end }: Ending, open: Count): Hindrance[] {
  try {
    end(open);
    return [];
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const message = `${error.detail} No row of this import changes that: settle it in the tenant, or leave the row as it was.`;
    return [{ code: 'cannot_change', table, importId, message }];
  }
}
