import { parseTraceparent, printTraceparent } from './traceparent';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

it.each([
  ['sampled', '01', 1],
  ['not sampled', '00', 0],
])('reads a trace context that is %s, and prints it as it was', (_, flags, traceFlags) => {
  const text = `00-${TRACE}-${SPAN}-${flags}`;
  const context = parseTraceparent(text);
  expect(context).toEqual({ traceId: TRACE, spanId: SPAN, traceFlags, isRemote: true });
  expect(printTraceparent(context!)).toBe(text);
});

it.each([
  ['a missing header', undefined],
  ['several headers', [`00-${TRACE}-${SPAN}-01`]],
  ['nonsense', 'nonsense'],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['the invalid version ff', `ff-${TRACE}-${SPAN}-01`],
  ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
])('ignores %s', (_, text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
