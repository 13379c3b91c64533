import { describe, expect, test } from 'vitest';
import { readTraceParent } from '../../src/tracing/trace-parent.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('The header traceparent', () => {
  test.each([
    [`00-${TRACE}-${SPAN}-01`, 1],
    [`00-${TRACE}-${SPAN}-00`, 0],
    // A later version may add members.
    [`cc-${TRACE}-${SPAN}-01-what-comes`, 1],
  ])('%s is read', (header, flags) => {
    expect(readTraceParent(header)).toEqual({ traceId: TRACE, spanId: SPAN, flags });
  });

  test.each([
    [undefined],
    [''],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${'0'.repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-1`],
    [`00-${TRACE}-${SPAN}-01x`],
    [`00-${TRACE}-${SPAN}-01-${'x'.repeat(200)}`],
  ])('%s is ignored', (header) => {
    expect(readTraceParent(header)).toBeUndefined();
  });
});
