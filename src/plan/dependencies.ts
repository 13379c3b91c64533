/** The dependencies of an expression, derived conservatively from its syntax. */
import { Derived } from '../base/derived.js';
import type { Expression, Param, Select, Statement, Subquery } from '../language/ast.js';
import { RECORD_PARAMS } from '../language/engine-params.js';
import { walk } from '../language/visitor.js';
import { onlyLook } from './effects.js';

/**
 * Whether an expression has the same value for every record of a scan, so that it can be computed once before the scan
 * begins. Blocks and closures are taken to depend on the record, and subqueries as well unless `admits` says otherwise.
 */
export function isDocumentFree(expression: Expression, admits: (subquery: Subquery) => boolean = never): boolean {
  const isFree = (each: Expression): boolean => isDocumentFree(each, admits);
  switch (expression.kind) {
    case 'literal':
    case 'constant':
      return true;
    case 'param':
      return !RECORD_PARAMS.has(expression.name);
    case 'array':
    case 'set':
      return expression.items.every(isFree);
    case 'range':
      return [expression.start, expression.end].every((bound) => bound === undefined || isFree(bound.value));
    case 'record-id':
      return expression.key.kind === 'key' && isFree(expression.key.value);
    case 'object':
      return expression.entries.every(([, value]) => isFree(value));
    case 'cast':
    case 'unary':
      return isFree(expression.operand);
    case 'binary':
      return isFree(expression.left) && isFree(expression.right);
    case 'call':
      return (
        !expression.path.startsWith('fn::') && !/^(rand|sleep)/.test(expression.path) && expression.args.every(isFree)
      );
    case 'idiom':
      return (
        expression.start !== undefined &&
        isFree(expression.start) &&
        expression.parts.every(
          (part) =>
            part.kind === 'field' ||
            part.kind === 'last' ||
            part.kind === 'all' ||
            (part.kind === 'index' && isFree(part.index)),
        )
      );
    case 'subquery':
      return admits(expression);
    default:
      return false;
  }
}

function never(): boolean {
  return false;
}

/**
 * Whether an expression has the same value for everyone who asks, at any time, since nothing is read for it but the
 * fields of the stored record: no parameter, no function, and no path that may lead to another record.
 *
 *     published AND n > 3      // of the record alone
 *     owner = $auth.id         // depends on who asks
 *     owner.name = 'ann'       // `owner` may be a link
 */
export function isOfRecordAlone(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'constant':
      return true;
    case 'array':
    case 'set':
      return expression.items.every(isOfRecordAlone);
    case 'object':
      return expression.entries.every(([, value]) => isOfRecordAlone(value));
    case 'record-id':
      return expression.key.kind === 'key' && isOfRecordAlone(expression.key.value);
    case 'cast':
    case 'unary':
      return isOfRecordAlone(expression.operand);
    case 'binary':
      return (
        typeof expression.operator === 'string' && isOfRecordAlone(expression.left) && isOfRecordAlone(expression.right)
      );
    case 'idiom':
      return expression.start === undefined && expression.parts.length === 1 && expression.parts[0]?.kind === 'field';
    default:
      return false;
  }
}

/**
 * Whether a subquery is the same for all records of the statement around it, as long as that changes nothing: a SELECT
 * that names nothing of the document around it, and is neither random nor has effects.
 *
 *     author IN (SELECT VALUE id FROM person WHERE born > 1900)    // uncorrelated
 *     (SELECT VALUE name FROM person WHERE id = $parent.author)    // correlated
 */
export function isUncorrelated(subquery: Subquery): boolean {
  const { statement } = subquery;
  if (statement.kind !== 'select') return false;
  let is = VERDICTS.get(statement);
  if (is === undefined) {
    is = outsideOf(statement).every(isTarget) && onlyLook([subquery]) && isSelfContained(statement);
    VERDICTS.set(statement, is);
  }
  return is;
}

/** The uncorrelated subqueries of an expression, outermost ones alone: not those of its blocks and closures. */
export function uncorrelatedIn(expression: Expression): Subquery[] {
  const found: Subquery[] = [];
  walk(expression, {
    expression: (each) => {
      if (each.kind !== 'subquery') return each.kind !== 'closure' && each.kind !== 'block';
      if (isUncorrelated(each)) found.push(each);
      return false;
    },
  });
  return found;
}

const VERDICTS = new Derived<Statement, boolean>();

/** The parts that are evaluated with the document around a SELECT. */
function outsideOf({ from, limit, start, version, timeout }: Select): readonly Expression[] {
  return [...from, limit, start, version, timeout].filter((each) => each !== undefined);
}

function isTarget(expression: Expression): boolean {
  return expression.kind === 'table' || isDocumentFree(expression, isUncorrelated);
}

/** Functions about a match or a neighbour, which may be one of the statement around. */
const OF_MATCHES = /^(search::|vector::distance::knn)/;

/** Whether nothing in a SELECT is random, unknown until it is called, or about the document around it. */
function isSelfContained(select: Select): boolean {
  let is = true;
  walk(select, {
    statement: (each) => {
      if (each.kind === 'select' && (each.order?.kind === 'random' || each.explain !== undefined)) is = false;
    },
    expression: (each) => {
      if (each.kind === 'param') is &&= !RECORD_PARAMS.has(each.name);
      else if (each.kind === 'call') is &&= !OF_MATCHES.test(each.path);
      else if (each.kind === 'record-id') is &&= each.key.kind !== 'generate';
      else if (each.kind === 'idiom') is &&= each.parts.every(({ kind }) => kind !== 'invoke');
      else if (each.kind === 'mock' || each.kind === 'closure') is = false;
    },
  });
  return is;
}

/**
 * The param of `$auth.id`: where it names a record that is there, it is its id. Only good for guesses at what will be
 * read, as that of another value or of a missing record is something else.
 */
export function paramOfId(expression: Expression): Param | undefined {
  if (expression.kind !== 'idiom' || expression.start?.kind !== 'param') return undefined;
  const [part, ...others] = expression.parts;
  return part?.kind === 'field' && part.name === 'id' && others.length === 0 ? expression.start : undefined;
}
