/** npm run webhook-receiver [-- OPTIONS]: see --help. */
import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { parseSecret, type Secret } from '#webhooks/protocol/secret';
import { WebhookReceiver } from './receiver';

interface Options {
  port: number;
  secret?: Secret[];
  status: number;
  delay: number;
  retryAfter?: string;
}

const program = new Command('npm run webhook-receiver --')
  .description(
    'Listens on 127.0.0.1, prints the webhook deliveries that arrive, and verifies their signatures: the standard one ' +
      '(https://www.standardwebhooks.com) and, for a GUID, X-PE2-WEBHOOK-SIGNATURE. What none of the secrets has signed is answered 401.',
  )
  .option('--port <number>', 'port to listen on; 0 for any that is free', between(0, 65535), 3000)
  .addOption(
    new Option('--secret <text>', "a webhook's secret, whsec_… or GUID; once for each while one is rotated")
      .env('WEBHOOK_SECRET')
      .argParser(addSecret),
  )
  .option('--status <code>', 'status to answer', between(200, 599), 204)
  .option('--delay <ms>', 'milliseconds to wait before it answers', between(0, 600_000), 0)
  .option('--retry-after <value>', 'Retry-After to answer, seconds or an HTTP date', headerValue)
  .addHelpText(
    'after',
    `
The service must be started with WEBHOOKS_ALLOW_INSECURE=true, or it sends nothing to http and loopback.
A secret is better given in the environment than as an option, which other users of the machine can see.

Examples:
  WEBHOOK_SECRET=whsec_… npm run webhook-receiver
  npm run webhook-receiver -- --status 429 --retry-after 30
  npm run webhook-receiver -- --delay 20000`,
  )
  .action(run);

async function run({ port, secret = [], status, delay, retryAfter }: Options): Promise<void> {
  const behaviour = { port, secrets: secret, status, delayMs: delay, retryAfter };
  const receiver = await WebhookReceiver.start(behaviour, (text) => console.log(text));
  console.log(`Deliveries to ${receiver.url} are shown here; Ctrl-C stops it.\n`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  await receiver.stop();
}

function between(least: number, most: number): (text: string) => number {
  return (text) => {
    if (!/^\d+$/.test(text) || Number(text) < least || Number(text) > most)
      throw new InvalidArgumentError(`It is a number from ${least} to ${most}.`);
    return Number(text);
  };
}

function addSecret(text: string, before: Secret[] = []): Secret[] {
  try {
    return [...before, parseSecret(text)];
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
}

function headerValue(text: string): string {
  if (!/^[\x20-\x7e]+$/.test(text)) throw new InvalidArgumentError('It is plain ASCII.');
  return text;
}

program.parseAsync().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
