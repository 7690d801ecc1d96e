import type { NaiveAnswer } from './naive-report';
import type { Request } from './property-requests';

/** What a run has seen: kinds of request, and what was answered. */
export class PropertyWitness {
  readonly seen = new Map<string, number>();

  see(request: Request, answer: NaiveAnswer): void {
    for (const tag of 'faults' in answer
      ? answer.faults.map(({ reason }) => reason)
      : tagsOf(request, answer))
      this.seen.set(tag, (this.seen.get(tag) ?? 0) + 1);
  }

  /** Those of the tags that were never seen. */
  missing(tags: readonly string[]): string[] {
    return tags.filter((tag) => !this.seen.has(tag));
  }
}

function tagsOf({ criteria, slice }: Request, answer: Exclude<NaiveAnswer, { faults: unknown }>): string[] {
  if (answer.rows.length === 0) return ['no rows'];
  const groups: { colId: string }[] = slice.rowGroups ?? [];
  const depth = slice.groupKeys?.length ?? 0;
  const deepest = depth === groups.length;
  const group = slice.groupLeafLevel ? 'grouped leaves' : 'leaf';
  const level = slice.totalsOnly ? 'totals' : deepest ? group : 'group';
  const tags = [level, `${level}, depth ${depth}`, `${level}, ${criteria ? '' : 'default '}criteria`];
  const has = (what: string, found: unknown) => void (found && tags.push(`${level}, ${what}`));
  has('pivots', answer.pivotResultFields.length > 0);
  has('sort', slice.sortBy.length > answer.ignoredSort.length);
  has('ignored sort', answer.ignoredSort.length > 0);
  has('zero field', slice.filterZero && slice.filterZeroField);
  has('zeros', slice.filterZero && !slice.filterZeroField);
  has('null key', slice.groupKeys?.includes(null));
  has('later page', slice.startRow > 0);
  has('more pages', answer.lastRow === -1);
  for (const { aggFunc } of slice.cols) if (aggFunc && level !== 'leaf') tags.push(aggFunc);
  if (level === 'group' && groups.length === 1) tags.push(`by ${groups[0].colId}`);
  return tags;
}
