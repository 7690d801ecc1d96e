import * as fc from 'fast-check';
import type { Step } from './random-life';

const awkward = fc.constantFrom(
  '',
  ' ',
  'a,b',
  '"',
  'say "x"',
  'l1\nl2',
  'l1\r\nl2',
  '\\.',
  '\\N',
  'ñ 漢 😀',
  '=1+1',
);
const actions = [
  'createDivision',
  'renameDivision',
  'createEntity',
  'renameEntity',
  'deleteEntity',
  'openMatter',
  'renameMatter',
  'closeMatter',
  'reopenMatter',
  'deleteMatter',
  'recordWork',
  'changeWork',
  'finalise',
  'unfinalise',
  'writeOff',
  'reinstate',
  'deleteWork',
  'draftInvoice',
  'issue',
  'unissue',
  'void',
  'dropInvoice',
] as Step['action'][];

export const randomStep: fc.Arbitrary<Step> = fc.record({
  firm: fc.nat(9),
  target: fc.nat(99),
  action: fc.constantFrom(...actions),
  text: fc.oneof(awkward, fc.string({ unit: 'grapheme', maxLength: 20 }), fc.constant(null)),
  milliseconds: fc.constantFrom(0, 0, 1, 999, 86_400_000),
});
