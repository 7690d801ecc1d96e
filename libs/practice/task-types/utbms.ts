/** A kind of work as a published code set names it. */
export interface PublishedTask {
  code: string;
  name: string;
  phaseCode: string | null;
  taskCode: string | null;
  activityCode: string | null;
}

type Names = Readonly<Record<string, string>>;

/** Phases with their tasks; a phase without tasks is its own task. */
const phases: Readonly<Record<string, readonly [name: string, tasks?: Names]>> = {
  L100: [
    'Case Assessment, Development and Administration',
    {
      L110: 'Fact Investigation/Development',
      L120: 'Analysis/Strategy',
      L130: 'Experts/Consultants',
      L140: 'Document/File Management',
      L150: 'Budgeting',
      L160: 'Settlement/Non-Binding ADR',
      L190: 'Other Case Assessment, Development and Administration',
    },
  ],
  L200: [
    'Pre-Trial Pleadings and Motions',
    {
      L210: 'Pleadings',
      L220: 'Preliminary Injunctions/Provisional Remedies',
      L230: 'Court Mandated Conferences',
      L240: 'Dispositive Motions',
      L250: 'Other Written Motions and Submissions',
      L260: 'Class Action Certification and Notice',
    },
  ],
  L300: [
    'Discovery',
    {
      L310: 'Written Discovery',
      L320: 'Document Production',
      L330: 'Depositions',
      L340: 'Expert Discovery',
      L350: 'Discovery Motions',
      L390: 'Other Discovery',
    },
  ],
  L400: [
    'Trial Preparation and Trial',
    {
      L410: 'Fact Witnesses',
      L420: 'Expert Witnesses',
      L430: 'Written Motions and Submissions',
      L440: 'Other Trial Preparation and Support',
      L450: 'Trial and Hearing Attendance',
      L460: 'Post-Trial Motions and Submissions',
      L470: 'Enforcement',
    },
  ],
  L500: [
    'Appeal',
    {
      L510: 'Appellate Motions and Submissions',
      L520: 'Appellate Briefs',
      L530: 'Oral Argument',
    },
  ],
  P100: ['Project Administration'],
  P200: [
    'Fact Gathering/Due Diligence',
    {
      P210: 'Corporate Review',
      P220: 'Tax',
      P230: 'Environmental',
      P240: 'Real and Personal Property',
      P250: 'Employee/Labor',
      P260: 'Intellectual Property',
      P270: 'Regulatory Reviews',
      P280: 'Other',
    },
  ],
  P300: ['Structure/Strategy/Analysis'],
  P400: ['Initial Document Preparation/Filing'],
  P500: ['Negotiation/Revision/Responses'],
  P600: ['Completion/Closing'],
  P700: ['Post-Completion/Post-Closing'],
  P800: ['Maintenance and Renewal'],
  C100: ['Fact Gathering'],
  C200: ['Researching Law'],
  C300: ['Analysis and Advice'],
  C400: ['Third Party Communication'],
  B100: [
    'Administration',
    {
      B110: 'Case Administration',
      B120: 'Asset Analysis and Recovery',
      B130: 'Asset Disposition',
      B140: 'Relief from Stay/Adequate Protection Proceedings',
      B150: 'Meetings of and Communications with Creditors',
      B160: 'Fee/Employment Applications',
      B170: 'Fee/Employment Objections',
      B180: 'Avoidance Action Analysis',
      B185: 'Assumption/Rejection of Leases and Contracts',
      B190: 'Other Contested Matters (excluding assumption/rejection motions)',
      B195: 'Non-Working Travel',
    },
  ],
  B200: [
    'Operations',
    {
      B210: 'Business Operations',
      B220: 'Employee Benefits/Pensions',
      B230: 'Financing/Cash Collections',
      B240: 'Tax Issues',
      B250: 'Real Estate',
      B260: 'Board of Directors Matters',
    },
  ],
  B300: [
    'Claims and Plan',
    {
      B310: 'Claims Administration and Objections',
      B320: 'Plan and Disclosure Statement (including Business Plan)',
    },
  ],
  B400: [
    'Bankruptcy-Related Advice',
    {
      B410: 'General Bankruptcy Advice/Opinions',
      B420: 'Restructurings',
    },
  ],
};

const activities: Names = {
  A101: 'Plan and prepare for',
  A102: 'Research',
  A103: 'Draft/revise',
  A104: 'Review/analyze',
  A105: 'Communicate (in firm)',
  A106: 'Communicate (with client)',
  A107: 'Communicate (other outside counsel)',
  A108: 'Communicate (other external)',
  A109: 'Appear for/attend',
  A110: 'Manage data/files',
  A111: 'Other',
};

/**
 * The Uniform Task-Based Management System: the litigation, project, counselling, bankruptcy and activity code sets of
 * the American Bar Association.
 * @see https://www.americanbar.org/groups/litigation/resources/uniform-task-based-management-system/
 */
export const utbms: readonly PublishedTask[] = [
  ...Object.entries(phases).flatMap(([phaseCode, [name, tasks]]) => [
    { code: phaseCode, name, phaseCode, taskCode: tasks ? null : phaseCode, activityCode: null },
    ...Object.entries(tasks ?? {}).map(([code, task]) => ({
      code,
      name: task,
      phaseCode,
      taskCode: code,
      activityCode: null,
    })),
  ]),
  ...Object.entries(activities).map(([code, name]) => ({
    code,
    name,
    phaseCode: null,
    taskCode: null,
    activityCode: code,
  })),
];
