/** The span of a client that a request belongs to. */
export interface TraceParent {
  /** 32 and 16 hexadecimal digits. */
  readonly traceId: string;
  readonly spanId: string;
  /** Bit 0: the client records its span. */
  readonly flags: number;
}

/** Later versions may add members behind a further dash. */
const FORMAT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;
const LONGEST = 128;

/**
 * Reads the header `traceparent` (W3C Trace Context, section 3.2); `undefined` if it is absent or malformed.
 *
 *     readTraceParent('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01')
 */
export function readTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > LONGEST) return undefined;
  const [, traceId, spanId, flags] = FORMAT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}
