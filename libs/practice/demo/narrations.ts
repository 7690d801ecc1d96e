import type { Random } from './random';

const DOING = [
  'Considering',
  'Drafting',
  'Amending',
  'Reviewing',
  'Preparing',
  'Checking',
  'Finalising',
  'Researching',
  'Discussing',
  'Reporting on',
  'Advising on',
  'Telephone call about',
  'Email about',
  'Meeting about',
];
const WHAT = [
  'the contract',
  'the draft agreement',
  'title',
  'replies to enquiries',
  'the lease',
  'a witness statement',
  'the particulars of claim',
  'disclosure',
  'the settlement offer',
  'completion',
  'the file',
  'searches',
  'the bundle',
  'costs',
  'next steps',
  'the valuation',
  'evidence',
  'a letter before action',
  'instructions',
  'the timetable',
  'the order',
  "counsel's opinion",
  'the indemnity',
  'the transfer',
  'the search results',
];
const WITH = [
  '',
  '',
  '',
  ' with the client',
  ' with the other side',
  ' with counsel',
  ' for the hearing',
  ' with the agent',
  ' with the insurer',
  ' before exchange',
  ' following the meeting',
  ' and attending on it',
];

/** The text that a fee earner writes about an hour of work. */
export function narration(random: Random): string {
  return `${random.pick(DOING)} ${random.pick(WHAT)}${random.pick(WITH)}`;
}

export const FIXED_FEES = [
  'Fixed fee: company search',
  'Fixed fee: bank transfer',
  'Fixed fee: registration',
  'Fixed fee: land return',
  'Fixed fee: letter before action',
  'Fixed fee: identity checks',
];
export const OFFICE_TIME = [
  'Training',
  'Team meeting',
  'Know-how',
  'Pitch to a new client',
  'Supervision',
  'Appraisals',
];
export const REASONS = [
  'Duplicated effort',
  'Training time',
  'Goodwill',
  'Beyond the estimate',
  'Agreed with the client',
  'Recorded on the wrong matter',
  'Not recoverable',
];
