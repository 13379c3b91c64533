import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import { runSteps } from '../../base/work/stepwise.js';
import { weightOfCompiled, weightOfTrees } from '../../language/tree-weight.js';
import type { RequestInterrupt } from '../../runtime/interrupt.js';
import type { RequestMemory } from '../../runtime/request-memory.js';
import { OwnStatements } from '../plans/own-statements.js';
import type { ParsedRequest } from '../plans/plan-cache.js';
import type { SessionServices } from './services.js';

/** Runs work with an interrupt that the end of the session triggers, and with the memory of a request. */
type Interruptible = <T>(work: InterruptibleWork<T>) => PromiseOrValue<T>;
export type InterruptibleWork<T> = (interrupt: RequestInterrupt, memory: RequestMemory) => PromiseOrValue<T>;

/**
 * Parses a long text in steps, yielding between them. The trees are charged while they are made, and by the request
 * that runs them.
 * @throws TesseraError as the parser; `cancelled`, `timed_out`, `request_memory_exceeded`
 */
export function parseYielding(
  { parseStepwise }: Pick<SessionServices, 'parseStepwise'>,
  text: string,
  interruptibly: Interruptible,
): PromiseOrValue<ParsedRequest> {
  return interruptibly((interrupt, memory) => {
    const parse = parseStepwise(text);
    const charge = () => memory.charge(weightOfTrees(parse.tokens) - memory.used);
    const parsed = runSteps(parse, {
      checkpoint() {
        charge();
        return interrupt.checkpoint();
      },
    });
    return andThen(parsed, ({ statements }) => {
      charge();
      memory.releaseTo(0);
      // A block is run again after a conflict, so that its trees are kept, with what is compiled of them.
      const isKept = statements.some(({ kind }) => kind === 'begin');
      const weight = isKept ? weightOfCompiled(parse.tokens) : weightOfTrees(parse.tokens);
      const own = new OwnStatements(statements, weight);
      return { statements: own.statements, own };
    });
  });
}
