import { exactJson } from './exact-json';

it.each([
  '{"a":12345678901234567890,"b":[-0.10,1e+2,{"c":0}]}',
  '{"12":"12","a\\\\":"\\\\u0000 -1","b\\"":"\\" 7","":true}',
  '[null,false,"",[]]',
])('%s stays as it is', (json) => expect(exactJson(json)).toBe(json));

it('has no white space, letters for their numbers, and of a name that comes twice the last', () => {
  expect(exactJson('{ "a" : 1.0,\n\t"b" : [ 2 , " 3 " ], "b" : "\\u00e9" }')).toBe('{"a":1.0,"b":"é"}');
  expect(exactJson(`{"a":${'['.repeat(32_000)}"\\u0000"${']'.repeat(32_000)},"a":1}`)).toBe('{"a":1}');
});

it('takes a megabyte of text, and of what has to be taken for itself', () => {
  for (const text of ['x'.repeat(1_000_000), '\\"'.repeat(500_000)])
    expect(exactJson(`{"a":"${text}"}`)).toBe(`{"a":"${text}"}`);
});
