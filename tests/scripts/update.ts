import type { Database } from '../../src/session/contract.js';
import { type Answer, runScript, takesAnything } from './script.js';

/** Lines of a script that are replaced: `removed` of them from `at` on, counted from 0. */
interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly lines: readonly string[];
}

/** The script with what its statements answer now in place of what it expects. */
export async function updatedScript(database: Database, source: string): Promise<string> {
  const edits: Edit[] = [];
  await runScript(database, source, { answered: (answer) => edits.push(...editsFor(answer)) });
  const lines = source.split('\n');
  for (const { at, removed, lines: inserted } of edits.reverse()) lines.splice(at, removed, ...inserted);
  return lines.join('\n');
}

/** In the order of their lines. */
function editsFor({ step, results, failure, expectedFailure }: Answer): Edit[] {
  const begin = step.line - 1;
  const edits: Edit[] = [];
  if (failure !== expectedFailure?.rest) {
    const lines = failure === undefined ? [] : [`--@fails ${failure}`];
    if (expectedFailure === undefined) edits.push({ at: begin, removed: 0, lines });
    else edits.push({ at: expectedFailure.line - 1, removed: 1, lines });
  }
  if (!('text' in step)) return edits;
  const at = begin + step.text.split('\n').length;
  const isFine = takesAnything(step) && !results.some((line) => line.startsWith('--!'));
  // A blank line ends a group that fails as a whole.
  if (failure !== undefined && expectedFailure === undefined)
    edits.push({ at, removed: step.expected.length, lines: [''] });
  else if (failure === undefined && !isFine) edits.push({ at, removed: step.expected.length, lines: results });
  return edits;
}
