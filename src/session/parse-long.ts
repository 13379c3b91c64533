import { andThen, type PromiseOrValue } from '../base/promise-or-value.js';
import type { RequestInterrupt } from '../exec/interrupt.js';
import { inPieces } from '../exec/pace.js';
import type { Statement } from '../language/ast.js';
import type { ObjectValue } from '../value/value.js';
import type { SessionServices } from './session-services.js';

/** Characters of a text that is parsed at once. */
export const SHORT = 10_000;

/** The statements of a request, with its variables under the names by which these know them. */
export interface ParsedRequest {
  readonly statements: readonly Statement[];
  readonly variables: ObjectValue | undefined;
}

/** Runs something that an interrupt may end, such as the end of its session. */
type Interruptible = <T>(work: (interrupt: RequestInterrupt) => PromiseOrValue<T>) => PromiseOrValue<T>;

/**
 * Parses a long request in pieces, while others have their turns.
 * @throws TesseraError as the parser does; `cancelled`, `timed_out`
 */
export function parseLong(
  { parseStepwise }: Pick<SessionServices, 'parseStepwise'>,
  text: string,
  variables: ObjectValue | undefined,
  interruptibly: Interruptible,
): PromiseOrValue<ParsedRequest> {
  const parsed = interruptibly((interrupt) => inPieces({ interrupt }, parseStepwise(text)));
  return andThen(parsed, ({ statements }) => ({ statements, variables }));
}
