import type { PayloadMode } from '../../endpoints/endpoint';
import type { Standing } from './breaker';

/** An endpoint's settings and standing, as its deliveries need them. */
export interface LaneConfig {
  tenant_id: number;
  webhook_id: string;
  alias: string;
  partition: number;
  /** When the endpoint was registered: an id that was removed may be registered again. */
  created_at: Date;
  url: string;
  payload_mode: PayloadMode;
  secret: string;
  former_secrets: { secret: string; until: string }[];
  /**
   * The permissions of the integration that last saved the webhook, limited to the scope of the token it used; empty
   * once the integration's grant is revoked.
   */
  permissions: string[];
  /**
   * Position of the tenant's last erasure, as printPosition writes it. A record from a read model that has not reached
   * it must not be sent.
   */
  erased_at: string | null;
  /** Whether anything may be sent to the endpoint now. */
  active: boolean;
  /** When the endpoint was last disabled. */
  disabled_at: Date | null;
  failures: number;
  open_until: Date | null;
  failing_since: Date | null;
}

/** The standing as it is stored. */
export function standingOf({ failures, open_until, failing_since }: LaneConfig): Standing {
  return { failures, openUntil: open_until, failingSince: failing_since };
}

/** Whether these are settings of the same registration. */
export function areOfOne(a: LaneConfig, b: LaneConfig): boolean {
  return a.created_at.getTime() === b.created_at.getTime();
}
