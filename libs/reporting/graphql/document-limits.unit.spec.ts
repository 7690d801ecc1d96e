import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { queriesOnly, tooLarge } from './document-limits';

const fault = (document: string) => tooLarge(document)?.message;

describe('the limits of a document', () => {
  it('allow 4 root fields of depth 6, and introspection beside them', () => {
    const deepest = 'a { a { a { a { a { a } } } } }';
    expect(
      fault(
        `{ w: a x: a y: a z: ${deepest} __typename __schema { types { fields { type { ofType { ofType { ofType { name } } } } } } } }`,
      ),
    ).toBeUndefined();
  });

  it('count through fragments', () => {
    expect(fault('{ ...f a4: a } fragment f on Query { a0: a a1: a ... { a2: a a3: a } }')).toBe(
      'The document is too large. It asks for 5 root fields; 4 are allowed.',
    );
    expect(fault('{ a { a { a { ...f } } } } fragment f on Query { a { a { a { a } } } }')).toBe(
      'The document is too large. It is 7 levels deep; 6 are allowed.',
    );
  });

  it('are checked at once in fragments that double, and in fragments that form a circle', () => {
    const doubling = Array.from(
      { length: 40 },
      (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`,
    );
    expect(fault(`{ ...f0 } ${doubling.join(' ')} fragment f40 on Query { a }`)).toMatch('root fields');
    expect(fault('{ ...f } fragment f on Query { a ...g } fragment g on Query { ...f }')).toBeUndefined();
  });

  it('allow 100 spreads of fragments', () => {
    const spread = (times: number) => `{ ${'...f '.repeat(times)}} fragment f on Query { __typename }`;
    expect(fault(spread(100))).toBeUndefined();
    expect(fault(spread(101))).toBe(
      'The document is too large. It spreads fragments 101 times; 100 are allowed.',
    );
  });

  it('allow what tools ask of a schema, but not its fields under many aliases', () => {
    expect(fault(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))).toBeUndefined();
    const aliases = (selection: string) =>
      Array.from({ length: 40 }, (_, n) => `f${n}: ${selection}`).join(' ');
    const many = `{ __schema { types { ...t } } } fragment t on __Type { ${aliases('fields { ...f }')} }
      fragment f on __Field { type { ${aliases('fields { name }')} } }`;
    expect(fault(many)).toBe(
      'The document is too large. It asks for 3282 fields of the schema; 500 are allowed.',
    );
  });

  it('allow 100 brackets within each other, not counting those in texts and comments', () => {
    const within = (depth: number, inside = '') => `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;
    const written = ['"[\\"["', '"""[\n\\"""["["""', '# [["\n'];
    expect(fault(written.map((text) => within(100, text)).join(' '))).toBeUndefined();
    for (const text of written)
      expect(fault(`${text} {(${within(99)})}`)).toBe(
        'The document is too large. It has 101 brackets within each other; 100 are allowed.',
      );
  });

  it('let pass what is no document, which is refused as such later', () => {
    expect(fault('{ a')).toBeUndefined();
  });
});

it('only queries are accepted', () => {
  const schema = buildSchema('type Query { a: Query }');
  const faults = validate(schema, parse('mutation { a }'), [queriesOnly]);
  expect(faults.map(({ message }) => message)).toEqual(['Reports are only read: a query is expected.']);
});
