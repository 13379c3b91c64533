import type { PromiseOrValue } from '../../base/promise-or-value.js';
import { runStepwise } from '../../exec/runtime/cooperative-yielding.js';
import type { RequestInterrupt } from '../../exec/runtime/interrupt.js';
import type { ParsedRequest } from '../plans/plan-cache.js';
import type { SessionServices } from './services.js';

/** Runs work with an interrupt that the end of the session triggers. */
type Interruptible = <T>(work: (interrupt: RequestInterrupt) => PromiseOrValue<T>) => PromiseOrValue<T>;

/**
 * Parses a long text in steps, yielding between them.
 * @throws TesseraError as the parser; `cancelled`, `timed_out`
 */
export function parseYielding(
  { parseStepwise }: Pick<SessionServices, 'parseStepwise'>,
  text: string,
  interruptibly: Interruptible,
): PromiseOrValue<ParsedRequest> {
  return interruptibly((interrupt) => runStepwise({ interrupt }, parseStepwise(text)));
}
