import type { Pool } from 'pg';
import { ConfigError } from '#platform/config';
import { sealedText } from '#platform/resealing';
import { type Secrets, SecretsError } from '#platform/secrets';

/** The text that is sealed for the check. Any text will do, as only the right key opens it. */
const CONSTANT = 'practice-management';

export const sealedKeyCheck = sealedText('platform.installation', ['id'], 'key_check');

/** A value that tells later whether a process has the same SECRETS_KEY. */
export function newKeyCheck(secrets: Secrets): string {
  return secrets.seal(CONSTANT);
}

/**
 * Refuses a process that has another key. Such a process must not write: no other process could open what it seals, and
 * no read model would get past it.
 * @throws ConfigError when SECRETS_KEY is not the one that the database was installed with
 */
export async function requireSameKey(pool: Pool, secrets: Secrets): Promise<void> {
  try {
    secrets.open((await storedCheck(pool)) ?? (await addCheck(pool, secrets)));
  } catch (error) {
    if (!(error instanceof SecretsError)) throw error;
    throw new ConfigError(['SECRETS_KEY is not the key that this database was installed with']);
  }
}

async function storedCheck(pool: Pool): Promise<string | null> {
  const { rows } = await pool.query<{ key_check: string | null }>(
    'select key_check from platform.installation',
  );
  return rows[0].key_check;
}

/**
 * Adds the check to a database that was installed before there were checks, once the key has opened a stored secret.
 * Issued tokens need a signing key and stored persons a key of their own: without either, nothing is sealed yet, and
 * the first process decides.
 * @throws SecretsError when the key does not open what is stored
 */
async function addCheck(pool: Pool, secrets: Secrets): Promise<string> {
  const { rows } = await pool.query<{ signing: string | null; subject: Buffer | null }>(
    `select (select private_jwk from platform.signing_keys order by created_at desc limit 1) as signing,
            (select wrapped from event_store.subject_keys where wrapped is not null limit 1) as subject`,
  );
  const [{ signing, subject }] = rows;
  if (signing !== null) secrets.open(signing);
  else if (subject !== null) secrets.unwrapKey(subject);
  await pool.query('update platform.installation set key_check = $1 where key_check is null', [
    newKeyCheck(secrets),
  ]);
  return (await storedCheck(pool))!;
}
