import { CommandHandler } from '@nestjs/cqrs';
import { EventStore, type Written } from '#event-store/event-store';
import type { Folded } from '#event-store/events';
import type { UnitOfWork } from '#event-store/unit-of-work';
import type { RequestContext } from '#platform/request-context';

/** A command that makes a record. */
export class CreateCommand<Body> {
  constructor(
    readonly context: RequestContext,
    readonly body: Body,
  ) {}
}

/** A command to a record. */
export class RecordCommand {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
  ) {}
}

/** A command to a record, with a body. */
export class ChangeCommand<Body> {
  constructor(
    readonly context: RequestContext,
    readonly id: string,
    readonly body: Body,
  ) {}
}

/**
 * The class of a command's handler, which carries the command out by the event store.
 * @param attempt loads, decides and records; returns the record that the answer shows. It may run more than once
 */
export function handlerOf<Command extends { context: RequestContext }, State extends object>(
  command: new (...parameters: never[]) => Command,
  attempt: (work: UnitOfWork, command: Command) => Promise<Folded<State>>,
) {
  @CommandHandler(command)
  class Handler {
    constructor(private readonly store: EventStore) {}

    execute(given: Command): Promise<Written<State>> {
      return this.store.execute(given.context, (work) => attempt(work, given));
    }
  }
  // What Nest and its error messages call it.
  return Object.defineProperty(Handler, 'name', { value: `${command.name}Handler` });
}
