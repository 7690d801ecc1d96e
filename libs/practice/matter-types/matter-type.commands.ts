import { PartialType } from '@nestjs/swagger';
import { at, linksTo } from '#event-store/load';
import { IdField, NumberField, TextField } from '#platform/http/input/fields';
import { IdsField } from '#platform/http/input/list-fields';
import type { RequestContext } from '#platform/request-context';
import { Division } from '../divisions/division.lookup';
import { active, RecordInput } from '../records/record';
import { answerTo, askEach, type RecordWriting } from '../records/write-record';
import { MatterType, type MatterTypeState, PARENT, requireTwoLevels } from './matter-type';

export class MatterTypeInput extends RecordInput {
  @TextField({ max: 20, example: 'RES' })
  code?: string | null;

  @TextField({ required: true, example: 'Residential conveyancing' })
  name: string;

  @IdField('mattertype', {
    description: 'An active matter type that has no parent itself. There are only two levels.',
  })
  parentId?: string | null;

  @IdsField('division', {
    max: 50,
    description: 'The active divisions that do such work. When none is given, all divisions do.',
  })
  divisionIds?: string[] | null;

  @NumberField({
    min: 0,
    max: 100,
    description: 'For how many years the file is kept after the matter is closed.',
  })
  retentionYears?: number | null;
}

export class MatterTypePatch extends PartialType(MatterTypeInput, { skipNullProperties: false }) {}

function asks(_: RequestContext, { parentId, divisionIds }: MatterTypePatch, id?: string) {
  return {
    parent: at(MatterType, parentId),
    ...(id && { children: linksTo(id, PARENT) }),
    ...askEach(Division, divisionIds),
  };
}

export const matterTypeWriting: RecordWriting<MatterTypeState, MatterTypeInput, ReturnType<typeof asks>> = {
  definition: MatterType,
  defaults: { code: null, name: '', parentId: null, divisionIds: [], retentionYears: null },
  asks,
  check({ work, given, found, before }) {
    if (given.parentId) {
      requireTwoLevels(active(found.parent, 'mattertype', 'parentId'), before?.id, found.children ?? 0);
      if (before) work.requireUnlinked(before.id, PARENT);
    }
    // Divisions that the type already had are not checked again.
    const known = new Set(before?.data.divisionIds);
    for (const [index, id] of (given.divisionIds ?? []).entries())
      if (!known.has(id)) active(answerTo(Division, found, id), 'division', `divisionIds/${index}`);
  },
};
