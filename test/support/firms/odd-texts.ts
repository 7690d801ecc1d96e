/** Texts that break code that escapes, cuts or sorts by hand. */
export const oddTexts: readonly string[] = [
  'Attending on "without prejudice" offer; it\'s 50% / 100%',
  'Columns:\tfee\tcost',
  'First line\nsecond line\r\nthird line',
  'Path C:\\Files\\new\\table \\N and \\.',
  'Café, naïve, Łódź, Ærøskøbing — “quoted” … €25',
  '株式会社との契約書の確認',
  'مراجعة العقد',
  'Call with client 👩🏽‍⚖️ about completion 🎉',
  "Robert'); DROP TABLE students;--",
  '=SUM(A1:A9)',
  'null',
  `Long note: ${'x'.repeat(486)} end`.slice(0, 500),
];

export const oddPeople = [
  { FirstName: 'Sinéad', LastName: "O'Brien" },
  { FirstName: 'Zoë', LastName: 'Müller-Lüdenscheidt' },
  { FirstName: '太郎', LastName: '山田' },
  { FirstName: null, LastName: 'Madonna' },
  { FirstName: 'Ngozi', LastName: 'Ọkẹ́' },
] as const;

export const oddCompanies: readonly string[] = [
  '株式会社 サンプル',
  'Smith & Sons "Quality" Ltd',
  'Back\\slash Systems Ltd',
  'Ünïcode Bäckerei GmbH 🥐',
];
