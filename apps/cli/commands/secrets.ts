import { Command } from 'commander';
import { wrappedSubjectKeys } from '#event-store/subject-keys';
import { sealedImportRepeats } from '#import/requests/import-repeats';
import { sealedConnections } from '#import/requests/import-requests';
import { sealedKeyCheck } from '#platform/auth/key-check';
import { sealedSigningKeys } from '#platform/auth/signing-keys';
import { Resealing } from '#platform/resealing';
import { sealedWebhookSecrets } from '#webhooks/endpoints/endpoints';
import { sealedWebhookRepeats } from '#webhooks/webhook-requests';
import type { Session } from '../session';

/**
 * The sealed columns, in the order in which they are sealed with the new key. Once the last one is, processes without
 * the new key are refused.
 */
const sealed = [
  wrappedSubjectKeys,
  sealedSigningKeys,
  ...sealedWebhookSecrets,
  ...sealedWebhookRepeats,
  sealedConnections,
  ...sealedImportRepeats,
  sealedKeyCheck,
];

export function secretsCommand(session: Session): Command {
  const secrets = new Command('secrets').description('what is encrypted with SECRETS_KEY');
  secrets
    .command('reseal')
    .description('encrypts with SECRETS_KEY what one of SECRETS_KEYS_ACCEPTED has encrypted')
    .action(async () => {
      const answer = await session.use(Resealing, async (resealing) => {
        const done: { table: string; column: string; resealed: number }[] = [];
        for (const column of sealed)
          done.push({ table: column.table, column: column.column, resealed: await resealing.renew(column) });
        return done;
      });
      session.print(answer);
    });
  return secrets;
}
