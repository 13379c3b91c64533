/** The possible effects of statements. */
import { Derived } from '../base/derived.js';
import type { Block, Call, Expression, Statement } from '../language/ast.js';
import { walk } from '../language/visitor.js';

/** Statements that only lead through expressions: they read and change nothing by themselves. */
export const CONTROL_STATEMENTS: readonly Statement['kind'][] = [
  'expression',
  'let',
  'return',
  'throw',
  'for',
  'break',
  'continue',
];

/** Statements that never change anything themselves; their parts are checked as well. */
const HARMLESS: ReadonlySet<string> = new Set<Statement['kind']>([
  ...CONTROL_STATEMENTS,
  'select',
  'info',
  'show-changes',
  'sleep',
  'explain',
  'explain-permissions',
  'explain-record-permissions',
]);

/** Whether a statement never changes anything itself. */
export function isHarmless({ kind }: Statement): boolean {
  return HARMLESS.has(kind);
}

/** Statements that change records alone. */
export const RECORD_CHANGES: ReadonlySet<Statement['kind']> = new Set([
  'create',
  'insert',
  'update',
  'upsert',
  'delete',
  'relate',
]);

/** The variable that restores the totals of views, when an import sets it (`query/view/totals.ts`). */
export const VIEW_TOTALS = 'view_totals';

export interface Effects {
  /**
   * It may write, so that it needs a read-write transaction. Functions of users and JavaScript count as writing, since
   * what they do is known only when they are called.
   */
  readonly writes: boolean;
  /**
   * It reads and writes records and does nothing else that we know of: nothing outside of its transaction depends on
   * it, so that what comes after it may begin before it is durable.
   */
  readonly plain: boolean;
}

/** Whether a statement may write (`Effects.writes`). */
export function mayWrite(statement: Statement): boolean {
  return effectsOf(statement).writes;
}

/** The effects of definitions and the like, whatever their parts. */
const ANY_EFFECTS: Effects = { writes: true, plain: false };

/** The possible effects of a statement; memoized, since each run needs them. */
export function effectsOf(statement: Statement): Effects {
  if (!HARMLESS.has(statement.kind) && !RECORD_CHANGES.has(statement.kind)) return ANY_EFFECTS;
  const known = verdicts.get(statement);
  if (known !== undefined) return known;
  const effects = { writes: false, plain: true };
  walk(statement, {
    statement: (each) => {
      if (HARMLESS.has(each.kind) && !(each.kind === 'let' && each.name === VIEW_TOTALS)) return;
      effects.writes = true;
      if (!RECORD_CHANGES.has(each.kind)) effects.plain = false;
    },
    expression: (each) => {
      if (each.kind === 'script' || (each.kind === 'call' && isForeign(each))) {
        effects.writes = true;
        effects.plain = false;
      } else if (each.kind === 'call' && NETWORK.test(each.path)) effects.plain = false;
      else if (changesFiles(each)) {
        effects.writes = true;
        effects.plain = false;
      }
    },
  });
  verdicts.set(statement, effects);
  return effects;
}

/** Functions that call other servers. */
const NETWORK = /^(http::|password::breached)/;

/** Functions that change files in the transaction, and their names as methods. */
const FILE_CHANGES = ['put', 'delete', 'copy', 'rename'].flatMap((name) => [name, `${name}_if_not_exists`]);
const CHANGES_FILES = new RegExp(`^file::(${FILE_CHANGES.join('|')})$`);

function changesFiles(expression: Expression): boolean {
  if (expression.kind === 'call') return CHANGES_FILES.test(expression.path);
  if (expression.kind !== 'idiom') return false;
  return expression.parts.some((part) => part.kind === 'method' && FILE_CHANGES.includes(part.name));
}

/** Functions that wait, call other servers, or return different values each time. */
const LOUD = /^(sleep|rand|time::now|sequence::|http::|password::breached)/;

/** Whether expressions do nothing but look, so that it can't be noticed if several are evaluated at once. */
export function onlyLook(expressions: readonly Expression[]): boolean {
  let looks = true;
  for (const expression of expressions) {
    walk(expression, {
      statement: ({ kind }) => {
        if (kind !== 'select' && kind !== 'expression' && kind !== 'return') looks = false;
      },
      expression: (each) => {
        if (each.kind === 'script' || (each.kind === 'call' && (isForeign(each) || LOUD.test(each.path))))
          looks = false;
        if (changesFiles(each)) looks = false;
      },
    });
  }
  return looks;
}

function isForeign({ path }: Call): boolean {
  return path.startsWith('fn::') || path.startsWith('mod::') || path.startsWith('ml::') || path.startsWith('api::');
}

const verdicts = new Derived<Statement, Effects>();

/** Functions of ours that change something, here or elsewhere. */
const CHANGING = /^(sequence::|http::(post|put|patch|delete)$)/;

/**
 * The functions of a database that may change something when they are called: by what they do themselves, or by calling
 * such a one. What can't be looked into counts as changing.
 */
export function changingFunctions(functions: ReadonlyMap<string, { readonly body: Block }>): ReadonlySet<string> {
  const changing = new Set<string>();
  const callers = new Map<string, string[]>();
  for (const [name, { body }] of functions) {
    walk(body, {
      statement: ({ kind }) => {
        if (!HARMLESS.has(kind)) changing.add(name);
      },
      expression: (each) => {
        if (each.kind === 'script' || changesFiles(each)) changing.add(name);
        if (each.kind !== 'call') return;
        const called = each.path.startsWith('fn::') ? each.path.slice('fn::'.length) : undefined;
        if (called !== undefined && functions.has(called)) callers.set(called, [...(callers.get(called) ?? []), name]);
        else if (isForeign(each) || CHANGING.test(each.path)) changing.add(name);
      },
    });
  }
  // What is added on the way is met on the way.
  for (const name of changing) for (const caller of callers.get(name) ?? []) changing.add(caller);
  return changing;
}
