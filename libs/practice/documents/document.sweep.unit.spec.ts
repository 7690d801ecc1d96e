import { DocumentSweep } from './document.sweep';

const EVERY_MS = 60 * 60_000;

it('begins no sweep before the last one has ended', async () => {
  jest.useFakeTimers();
  const nothing = [] as unknown as ConstructorParameters<typeof DocumentSweep>;
  const rounds = new DocumentSweep(...nothing);
  let end: (() => void) | undefined;
  const begun = jest
    .spyOn(rounds, 'sweep')
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
