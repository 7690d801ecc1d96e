/** A whole number of the command line, 1 or more. Whoever has given something else is told, before anything is started. */
export function argument(place: number, called: string, usual: number): number {
  const given = process.argv[1 + place];
  if (given === undefined) return usual;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  process.stderr.write(`Argument ${place}, ${called}, must be a whole number, 1 or more; it is ${given}\n`);
  return process.exit(1);
}
