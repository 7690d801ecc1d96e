import { Command } from 'commander';
import type { StreamReport } from '#event-store/streams/stream-findings';
import { StreamRebuild } from '#event-store/streams/stream-rebuild';
import { StreamVerifier } from '#event-store/streams/stream-verifier';
import type { Session } from '../session';

export function streamsCommand(session: Session): Command {
  const streams = new Command('streams').description('what the event store derives from its events');

  streams
    .command('verify')
    .description('proves that states, versions, links and reservations are what the events make them')
    .option('--tenant <alias>', 'only this tenant')
    .action(async ({ tenant }: { tenant?: string }) => {
      tell(session, await session.use(StreamVerifier, (verifier) => verifier.verify(tenant)));
    });

  streams
    .command('rebuild')
    .description(
      'writes states, versions, links and reservations again from the events, where they differ; the service may ' +
        'run. Counters and idempotency keys are not derived from events: they stay as they are',
    )
    .option('--tenant <alias>', 'only this tenant')
    .action(async ({ tenant }: { tenant?: string }) => {
      tell(session, await session.use(StreamRebuild, (rebuild) => rebuild.rebuild(tenant)));
    });
  return streams;
}

/** Prints the figures and, for people, a line for each finding. */
function tell(session: Session, answer: StreamReport): void {
  const { findings, ...figures } = answer;
  const lines = findings.map(({ tenant, stream, what }) => `\n${tenant}  ${stream}  ${what}`);
  if (answer.differences === 0) session.print(answer, figures);
  else session.found(answer, { ...figures, findings: lines.join('') });
}
