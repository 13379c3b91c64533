/** The subjects of conditions, and the expressions of conditions. */
import type { Expression, GraphStep, Idiom, Part } from '../../../language/ast.js';

/** A path from the current document, or from a value. Empty, it is where it starts. */
export type Subject = Idiom;

/** The record that the condition applies to. Fields directly below it can use an index. */
export const DOCUMENT: Subject = { kind: 'idiom', parts: [] };

const THIS: Expression = { kind: 'param', name: 'this' };
/** The list element that a nested condition applies to. */
export const ELEMENT: Subject = { kind: 'idiom', start: THIS, parts: [] };

/** The path of a subject, extended by more parts. */
export function below(subject: Subject, ...parts: readonly Part[]): Subject {
  return { ...subject, parts: [...subject.parts, ...parts] };
}

/** The field of a subject. */
export function fieldOf(subject: Subject, name: string): Subject {
  return below(subject, { kind: 'field', name });
}

/** A subject as an expression; the empty one is `$this`. */
export function expressionOf(subject: Subject): Expression {
  return subject.parts.length > 0 ? subject : (subject.start ?? THIS);
}

/** A call of a built-in function. */
export function call(path: string, ...args: readonly Expression[]): Expression {
  return { kind: 'call', path, args };
}

/** `!operand`. */
export function not(operand: Expression): Expression {
  return { kind: 'unary', operator: '!', operand };
}

const NOTHING: Expression = {
  kind: 'array',
  items: [
    { kind: 'literal', value: undefined },
    { kind: 'literal', value: null },
  ],
};

export function isMissing(value: Expression): Expression {
  return { kind: 'binary', operator: 'IN', left: value, right: NOTHING };
}

export function isPresent(value: Expression): Expression {
  return { kind: 'binary', operator: 'NOT IN', left: value, right: NOTHING };
}

/**
 * The record that a link points to, NONE if it cannot be read; with a condition, a list of the record if it satisfies
 * it. Fields of the link itself would be those of its key, `{tenant: 'a'}` in `doc:{tenant: 'a'}`.
 */
export function recordBehind(link: Subject, condition?: Expression): Expression {
  return below(link, { kind: 'optional' }, { kind: 'all' }, { kind: 'optional' }, ...where(condition));
}

/** The elements of a list, optionally those that satisfy a condition. Other values have no elements. */
export function elementsOf(list: Subject, condition?: Expression): Expression {
  return expressionOf({ kind: 'idiom', start: asArray(expressionOf(list)), parts: where(condition) });
}

const ID: Expression = fieldOf(DOCUMENT, 'id');

/** The readable records of a list of links that satisfy a condition. */
export function recordsBehind(links: Subject, condition: Expression): Expression {
  const readable: Expression = { kind: 'binary', operator: '&&', left: ID, right: condition };
  // A separate path: in one with the condition, the condition would be evaluated within each element.
  const records: Expression = { kind: 'idiom', start: asArray(expressionOf(links)), parts: [{ kind: 'all' }] };
  return { kind: 'idiom', start: records, parts: where(readable) };
}

/** The readable edges of a record, optionally those that satisfy a condition. */
export function edgesOf(
  record: Subject,
  { table, direction }: { readonly table: string; readonly direction: GraphStep['direction'] },
  condition?: Expression,
): Expression {
  const step: GraphStep = { kind: 'graph', direction, subjects: [{ table }], ...(condition && { where: condition }) };
  return below(record, step);
}

function where(condition: Expression | undefined): readonly Part[] {
  return condition === undefined ? [] : [{ kind: 'where', condition }];
}

function asArray(value: Expression): Expression {
  return {
    kind: 'if',
    branches: [
      { condition: call('type::is_array', value), then: value },
      {
        condition: call('type::is_set', value),
        then: { kind: 'cast', type: { kind: 'array' }, operand: value },
      },
    ],
    otherwise: { kind: 'array', items: [] },
  };
}
