/** A mutation that is a @transaction: all of its root fields are kept, or none. */
import { DirectiveLocation, GraphQLDirective, type OperationDefinitionNode } from 'graphql';
import { failure, TesseraError } from '../../errors/error.js';
import type { HeldTransaction, Session } from '../../session/contract.js';
import type { ExecutionContext } from './execution-context.js';
import type { CompiledOperation, CompiledRoot } from './operation.js';
import { failedRoot, type RootResult, runRoot } from './run.js';

export const TRANSACTION = new GraphQLDirective({
  name: 'transaction',
  description: 'All fields of the mutation are kept, or none.',
  locations: [DirectiveLocation.MUTATION],
});

/** Whether a mutation has the directive `@transaction`. */
export function isTransaction({ directives = [] }: OperationDefinitionNode): boolean {
  return directives.some(({ name }) => name.value === TRANSACTION.name);
}

/** Maximum number of attempts after conflicts. */
const ATTEMPTS = 5;

/** Runs a mutation in one transaction. */
export async function runTransaction(
  { roots }: CompiledOperation,
  call: ExecutionContext,
  session: Session,
): Promise<RootResult[]> {
  for (let attempt = 1; ; attempt++) {
    const held = await session.begin();
    try {
      const results = await runRoots(roots, call, held);
      if (call.failures.length === 0) {
        await held.commit();
        return results;
      }
    } catch (thrown) {
      held.cancel();
      if (!(thrown instanceof TesseraError) || thrown.code !== 'transaction_conflict') throw thrown;
      call.restart();
      if (attempt === ATTEMPTS) return roots.map((root) => failedRoot(root, call, thrown));
      continue;
    }
    held.cancel();
    return roots.map((root) => undone(root, call));
  }
}

/** Nothing runs after a failure. */
async function runRoots(
  roots: readonly CompiledRoot[],
  call: ExecutionContext,
  held: HeldTransaction,
): Promise<RootResult[]> {
  const results: RootResult[] = [];
  for (const root of roots) {
    results.push(await runRoot(root, call, undefined, held));
    if (call.failures.length > 0) break;
  }
  return results;
}

/** The field that has failed says why; the others that they were undone. */
function undone(root: CompiledRoot, call: ExecutionContext): RootResult {
  const { key, plan } = root;
  // Results that aren't about records stay valid.
  if (typeof plan === 'function') return { key, json: plan(call), time: 0n };
  const hasFailed = call.failures.some(({ path }) => path[0] === key);
  return hasFailed ? { key, json: 'null', time: 0n } : failedRoot(root, call, failure('graphql_undone'));
}
