/**
 * A whole number from the command line, at least 1. Any other text ends the process with a message before anything
 * starts.
 */
export function argument(place: number, called: string, usual: number): number {
  const given = process.argv[1 + place];
  if (given === undefined) return usual;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  process.stderr.write(`Argument ${place}, ${called}, must be a whole number, 1 or more; it is ${given}\n`);
  return process.exit(1);
}
