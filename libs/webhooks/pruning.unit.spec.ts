import { WebhookPruning } from './pruning';

const EVERY_MS = 1 * 60_000;

it('begins no run before the last one has ended', async () => {
  jest.useFakeTimers();
  const nothing = [] as unknown as ConstructorParameters<typeof WebhookPruning>;
  const rounds = new WebhookPruning(...nothing);
  let end: (() => void) | undefined;
  const begun = jest
    .spyOn(rounds, 'run')
    .mockImplementation(() => new Promise<never>((resolve) => (end = resolve as () => void)));
  try {
    rounds.start();
    await jest.advanceTimersByTimeAsync(3 * EVERY_MS);
    expect(begun).toHaveBeenCalledTimes(1);
    end!();
    await jest.advanceTimersByTimeAsync(EVERY_MS);
    expect(begun).toHaveBeenCalledTimes(2);
  } finally {
    rounds.onApplicationShutdown();
    jest.useRealTimers();
  }
});
