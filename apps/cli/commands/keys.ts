import { Command } from 'commander';
import { SigningKeys } from '#platform/auth/signing-keys';
import type { Session } from '../session';

export function keysCommand(session: Session): Command {
  const keys = new Command('keys').description('the keys that sign access tokens');
  keys
    .command('rotate')
    .description('signs with a new key; the old one is accepted until its tokens have expired')
    .action(async () => {
      session.print({ kid: await session.use(SigningKeys, (signing) => signing.rotate()) });
    });
  keys
    .command('list')
    .description('all keys, the newest first')
    .action(async () => {
      session.print(await session.use(SigningKeys, (signing) => signing.list()));
    });
  return keys;
}
