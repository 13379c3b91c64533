import type { PromiseOrValue } from '../../base/promise-or-value.js';
import type { RequestInterrupt } from '../../exec/interrupt.js';
import { inPieces } from '../../exec/pace.js';
import type { SessionServices } from '../session/services.js';
import type { ParsedRequest } from './plan-cache.js';

/** Runs something that an interrupt may end, such as the end of its session. */
type Interruptible = <T>(work: (interrupt: RequestInterrupt) => PromiseOrValue<T>) => PromiseOrValue<T>;

/**
 * Parses a long request in pieces, while others have their turns.
 * @throws TesseraError as the parser does; `cancelled`, `timed_out`
 */
export function parseYielding(
  { parseStepwise }: Pick<SessionServices, 'parseStepwise'>,
  text: string,
  interruptibly: Interruptible,
): PromiseOrValue<ParsedRequest> {
  return interruptibly((interrupt) => inPieces({ interrupt }, parseStepwise(text)));
}
