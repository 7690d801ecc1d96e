/** What a proof of a read model came to: how many of its rows differ, and the first of them. */
interface Proof {
  name: string;
  differing: number;
  differences: { tenant: string }[];
}

/**
 * For people: a line for each row that differs or, when none does, a line a read model.
 * @param ofRow what is told of a row beside its read model
 * @param ofModel what is told of a read model none of whose rows differ
 */
export function proofLines<Result extends Proof>(
  results: readonly Result[],
  ofRow: (difference: Result['differences'][number]) => object,
  ofModel: (result: Result) => object,
): object[] {
  const differences = results.flatMap(({ name, differing, differences: listed }) => [
    ...listed.map((each) => ({ name, ...ofRow(each) })),
    ...(differing > listed.length ? [{ name, tenant: `${differing - listed.length} more` }] : []),
  ]);
  return differences.length > 0 ? differences : results.map(ofModel);
}
