import { exactJson } from './exact-json';

it.each([
  '{"a":12345678901234567890,"b":[-0.10,1e+2,{"c":0}]}',
  '{"12":"12","a\\\\":"\\\\u0000 -1","b\\"":"\\" 7","":true}',
  '[null,false,"",[]]',
])('%s stays as it is', (json) => expect(exactJson(json)).toBe(json));

it('removes white space, writes escaped letters as letters, and keeps the last of two equal names', () => {
  expect(exactJson('{ "a" : 1.0,\n\t"b" : [ 2 , " 3 " ], "b" : "\\u00e9" }')).toBe('{"a":1.0,"b":"é"}');
  expect(exactJson(`{"a":${'['.repeat(32_000)}"\\u0000"${']'.repeat(32_000)},"a":1}`)).toBe('{"a":1}');
});

it('takes a megabyte of plain text, and of escaped characters', () => {
  for (const text of ['x'.repeat(1_000_000), '\\"'.repeat(500_000)])
    expect(exactJson(`{"a":"${text}"}`)).toBe(`{"a":"${text}"}`);
});
