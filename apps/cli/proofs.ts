/** The result of proving a read model: how many of its rows differ, and the first of them. */
interface Proof {
  name: string;
  differing: number;
  differences: { tenant: string }[];
}

/**
 * Formats proofs for people: a line for each row that differs or, when none does, a line for each read model.
 * @param ofRow the columns about a row, beside the name of its read model
 * @param ofModel the columns about a read model without differing rows
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
