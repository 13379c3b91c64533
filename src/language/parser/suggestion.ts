/**
 * Suggests the keyword probably meant by a misspelled word, as a label in the snippet of a parse error:
 *
 *     Parse error: Unexpected token `an identifier`, expected FROM
 *      --> [1:10]
 *       |
 *     1 | SELECT * FORM t
 *       |          ^^^^ did you maybe mean `FROM`?
 *
 * Computed for errors only, so that valid texts cost nothing and legal names are never questioned.
 */
import { levenshtein } from '../../base/levenshtein.js';
import type { Statement } from '../ast.js';
import type { Mark } from '../source-error.js';

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** The words that statements begin with. */
export const STATEMENT_WORDS = words(`
  SELECT CREATE UPDATE UPSERT DELETE INSERT RELATE DEFINE REMOVE ALTER INFO RETURN LET USE LIVE KILL SHOW BEGIN COMMIT CANCEL IF FOR THROW
  REBUILD EXPLAIN ACCESS OPTION SLEEP BREAK CONTINUE
`);

const WRITING = 'WHERE RETURN TIMEOUT PARALLEL EXPLAIN';
const DATA = 'SET CONTENT MERGE REPLACE PATCH UNSET';
const DEFINING = words(`
  TYPE VALUE DEFAULT ASSERT PERMISSIONS READONLY FLEXIBLE COMPUTED REFERENCE COMMENT SCHEMAFULL SCHEMALESS CHANGEFEED DROP FIELDS COLUMNS UNIQUE
  FULLTEXT HNSW COUNT CONCURRENTLY ANALYZER HIGHLIGHTS DIMENSION DIST WHEN THEN PASSWORD PASSHASH ROLES DURATION SIGNUP SIGNIN AUTHENTICATE WITH
  ALGORITHM KEY URL JWT TOKENIZERS FILTERS FUNCTION BATCH START STRICT MIDDLEWARE TABLES FUNCTIONS ON FOR TO
`);

/** The words that may follow a statement which could have ended. */
const CLAUSE_WORDS: Readonly<Partial<Record<Statement['kind'], readonly string[]>>> = {
  expression: words('ELSE END'),
  select: words(
    'WITH WHERE SPLIT GROUP ORDER LIMIT START FETCH VERSION TIMEOUT PARALLEL TEMPFILES EXPLAIN ASC DESC COLLATE NUMERIC FULL',
  ),
  live: words('WHERE FETCH SINCE'),
  create: words(`${DATA} ${WRITING} VERSION`),
  update: words(`${DATA} ${WRITING} WITH`),
  upsert: words(`${DATA} ${WRITING} WITH`),
  delete: words(`${WRITING} WITH`),
  relate: words(`${DATA} ${WRITING}`),
  insert: words(`VALUES ON ${WRITING} VERSION`),
  return: words('FETCH'),
  begin: words('TRANSACTION'),
  commit: words('TRANSACTION'),
  cancel: words('TRANSACTION'),
  use: words('DATABASE'),
  info: words('STRUCTURE VERSION ON'),
  rebuild: words('CONCURRENTLY'),
  'show-changes': words('LIMIT'),
  access: words('WHERE ALL FOR'),
};

/** The position of a parser before a wrong token. */
interface ParserPosition {
  readonly source: string;
  readonly kind: string;
  /** The token in capitals, if it is a word. */
  readonly word: string;
  tokenMark(): Mark;
}

/** The mark, with a label where the current token is nearly one of the words that may stand there. */
export function suggesting(parser: ParserPosition, mark: Mark, expected: Iterable<string>): Mark {
  if (parser.kind !== 'word') return mark;
  const word = nearestKeyword(parser.word, expected);
  return word === undefined ? mark : { ...mark, label: labelOf(word) };
}

/**
 * What to mark where something follows a statement that ends there: the token, which may be meant for a clause, and the
 * first word of the statement where that was perhaps meant for a keyword.
 */
export function marksAfter(parser: ParserPosition, { statement, start }: ReadStatement): readonly [Mark, ...Mark[]] {
  const { kind } = statement;
  const mark = suggesting(
    parser,
    parser.tokenMark(),
    /^(define|alter)/.test(kind) ? DEFINING : (CLAUSE_WORDS[kind] ?? []),
  );
  if (mark.label !== undefined || kind !== 'expression') return [mark];
  const written = firstWord(parser.source, start);
  const word = nearestKeyword(written.toUpperCase(), STATEMENT_WORDS);
  if (word === undefined) return [mark];
  return [mark, { start, end: start + written.length, label: labelOf(word) }];
}

/** A statement that was just read, and the offset where it begins. */
export interface ReadStatement {
  readonly statement: Statement;
  readonly start: number;
}

/** The words that the text of an error says it expects: those in capitals. */
export function wordsIn(expected: string): readonly string[] {
  return expected.match(/\b[A-Z][A-Z_]+\b/g) ?? [];
}

/** The first of the nearest words, if it is near. Both are in capitals; a word is never suggested for itself. */
export function nearestKeyword(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const found = distance(word, candidate);
    if (found >= least || found > slips(candidate)) continue;
    least = found;
    best = candidate;
  }
  return least === 0 ? undefined : best;
}

function distance(word: string, candidate: string): number {
  if (Math.abs(candidate.length - word.length) > MOST_SLIPS) return Number.POSITIVE_INFINITY;
  if (isSwapped(word, candidate)) return 1;
  const found = levenshtein(Array.from(word), Array.from(candidate));
  // Of three letters, one that is another leaves too little: FOO isn't FOR.
  return found === 1 && word.length === 3 && candidate.length === 3 ? MOST_SLIPS : found;
}

const MOST_SLIPS = 2;

/** Maximum number of typos in a word: short words are similar to everything. */
function slips({ length }: string): number {
  if (length < 3) return 0;
  return length < 6 ? 1 : MOST_SLIPS;
}

/** Whether two neighbouring letters have changed places, which is the commonest slip and counts as one. */
function isSwapped(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at < a.length && a[at] === b[at + 1] && a[at + 1] === b[at] && a.slice(at + 2) === b.slice(at + 2);
}

function firstWord(source: string, start: number): string {
  return /^\w+/.exec(source.slice(start, start + LONGEST_WORD))?.[0] ?? '';
}
/** Characters; keywords are shorter, and so is what is nearly one. */
const LONGEST_WORD = 32;

function labelOf(word: string): string {
  return `did you maybe mean \`${word}\`?`;
}
