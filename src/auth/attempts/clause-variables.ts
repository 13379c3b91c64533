/**
 * What a SIGNIN clause does with the variables of a client: which ones it reads, and which of these are secrets to
 * guess. Variables are paths: `email`, or `credentials.email` of an object.
 */
import { Derived } from '../../base/derived.js';
import type { Binary, Call, Expression, Idiom } from '../../language/ast.js';
import { walk } from '../../language/visitor.js';

export interface ClauseVariables {
  /** The paths that it reads; of an object that is read as a whole, its own. */
  readonly read: ReadonlySet<string>;
  /** Those that it compares with something secret. */
  readonly secrets: ReadonlySet<string>;
}

/** Variables with such names are secrets rather than account names, whatever the clause does with them. */
export const SECRET_NAME = /pass|pwd|secret|token|otp|pin$|code|key|refresh/i;

/** Functions that compare a guess, their second argument, with what is stored. */
const COMPARING = /^crypto::.*::(compare|verify)$/;
/** Functions that hash a guess, to be compared with what is stored. */
const HASHING = /^crypto::(?!.*::(compare|verify|generate)$)/;

const known = new Derived<Expression, ClauseVariables>();

/** The variables of a clause, found once for each clause. */
export function clauseVariables(clause: Expression): ClauseVariables {
  let found = known.get(clause);
  if (found === undefined) {
    found = findVariables(clause);
    known.set(clause, found);
  }
  return found;
}

function findVariables(clause: Expression): ClauseVariables {
  const compared: (readonly string[])[] = [];
  const hashed: (readonly string[])[] = [];
  const reads = readsOf(clause, {
    call({ path, args }) {
      if (COMPARING.test(path)) compared.push(...args.slice(1, 2).map((guess) => readsOf(guess)));
      else if (HASHING.test(path)) hashed.push(...args.map((arg) => readsOf(arg)));
    },
    binary({ operator, left, right }) {
      if (operator !== '=' && operator !== '==') return;
      if (isSecretField(left)) compared.push(readsOf(right));
      if (isSecretField(right)) compared.push(readsOf(left));
    },
  });
  // Where guesses are compared, what is hashed besides may be the name of an account.
  const places = compared.some((each) => each.length > 0) ? compared : hashed;
  return { read: new Set(reads), secrets: secretsAmong(places, reads) };
}

/** Among several variables of one guess, one that is also read elsewhere may be a name that salts it. */
function secretsAmong(places: readonly (readonly string[])[], reads: readonly string[]): ReadonlySet<string> {
  const count = (paths: readonly string[], path: string) => paths.filter((each) => each === path).length;
  const guesses = places.flat();
  return new Set(
    places.flatMap((place) =>
      place.length === 1 ? place : place.filter((path) => count(reads, path) === count(guesses, path)),
    ),
  );
}

interface Places {
  call(node: Call): void;
  binary(node: Binary): void;
}

/** The paths that are read, each once for every place. */
function readsOf(root: Expression, places?: Places): string[] {
  const reads: string[] = [];
  const visitor = {
    expression(node: Expression): boolean {
      if (node.kind === 'param') reads.push(node.name);
      if (node.kind === 'call') places?.call(node);
      if (node.kind === 'binary') places?.binary(node);
      if (node.kind !== 'idiom' || node.start?.kind !== 'param') return true;
      reads.push(pathOf(node.start.name, node));
      // The start has been read.
      walk({ kind: 'idiom', parts: node.parts }, visitor);
      return false;
    },
  };
  walk(root, visitor);
  return reads;
}

/** The leading fields of a param: `$a.b.c`, `$a['b']`. */
function pathOf(param: string, { parts }: Idiom): string {
  const names = [param];
  for (const part of parts) {
    const name = part.kind === 'field' ? part.name : part.kind === 'index' ? textOf(part.index) : undefined;
    if (name === undefined) break;
    names.push(name);
  }
  return names.join('.');
}

function textOf(index: Expression): string | undefined {
  return index.kind === 'literal' && typeof index.value === 'string' ? index.value : undefined;
}

function isSecretField(node: Expression): boolean {
  const last = node.kind === 'idiom' && node.start === undefined ? node.parts.at(-1) : undefined;
  return last?.kind === 'field' && SECRET_NAME.test(last.name);
}
