import { StreamAudit } from '#event-store/streams/stream-audit';
import { StreamPages } from '#event-store/streams/stream-pages';
import { StreamRebuild } from '#event-store/streams/stream-rebuild';
import { StreamRefold } from '#event-store/streams/stream-refold';
import { StreamVerifier } from '#event-store/streams/stream-verifier';
import type { TestStore } from '../../../../test/support/store';

/** Services that verify and rebuild the streams of a test store. */
export function derivedOf({ writes, codec, keys }: Pick<TestStore, 'writes' | 'codec' | 'keys'>) {
  const refolds = new StreamRefold(codec);
  const audits = new StreamAudit(codec);
  const pages = new StreamPages(refolds, audits);
  return {
    verifier: new StreamVerifier(writes, pages),
    rebuild: new StreamRebuild(writes, codec, keys, pages, refolds, audits),
  };
}
