import { DatabaseError } from 'pg';
import type { RecordedEvent } from '#event-store/events';
import { START } from '#event-store/position';
import { CheckpointMoved } from './checkpoints';
import { EventNotApplied, isEventFault } from './event-not-applied';

const database = (code: string) => Object.assign(new DatabaseError('failed', 0, 'error'), { code });

describe('whose fault a failure is', () => {
  it.each(['21000', '22003', '22001', '22P05', '23505', '23514', '54000', 'P0001'])(
    "the event's: SQLSTATE %s",
    (code) => expect(isEventFault(database(code))).toBe(true),
  );

  it.each(['08006', '25P02', '40001', '40P01', '42P01', '42703', '53100', '53300', '55P03', '57014'])(
    "not the event's: SQLSTATE %s",
    (code) => expect(isEventFault(database(code))).toBe(false),
  );

  it.each(['57P01', '57P03', '58030', 'XX000'])("not the event's: SQLSTATE %s", (code) =>
    expect(isEventFault(database(code))).toBe(false),
  );

  it.each([
    new Error('division 1: event 3 follows 1'),
    new TypeError('Cannot read properties of undefined'),
    new RangeError('Invalid time value'),
    Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }),
  ])("the event's: %p", (error) => expect(isEventFault(error)).toBe(true));

  it.each([
    new CheckpointMoved('people'),
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new Error('Connection terminated unexpectedly'),
  ])("not the event's: %p", (error) => expect(isEventFault(error)).toBe(false));

  it('is told with the event, and with as much of the cause as fits', () => {
    const recorded: RecordedEvent = {
      tenantId: 7,
      streamId: 'the-stream',
      version: 3,
      eventId: 'the-event',
      partition: 0,
      at: START,
      event: { type: 'MatterOpened', data: {} },
      recordedAt: new Date(),
      metadata: { actor: 'a', correlationId: 'c', source: 'rest' },
    };
    const cause = new Error('x'.repeat(1000));
    const { message, reason } = new EventNotApplied('matters', recorded, cause);
    expect(message).toMatch(
      /^Projection matters cannot apply event the-event \(MatterOpened, version 3 of stream the-stream, tenant 7\): x/,
    );
    expect(reason).toBe('x'.repeat(500));
  });
});
