/**
 * Script files: statements, each group followed by what it must answer.
 *
 *     CREATE person:1 SET age = 1;
 *     --> [{ age: 1, id: person:1 }]
 *     SELECT * FROM nope;
 *     --! The table 'nope' does not exist
 *     DEFINE TABLE a; DEFINE TABLE b;
 *     --ok
 *
 * `-->` is the canonical text of a value, `--!` the text of an error, one line for each result of the group, in order; `--ok` says that all
 * results are good, whatever they are. A line break in an error reads `\n`. Lines that begin with `--@` steer the session:
 *
 *     --@use NS DB
 *     --@session NAME              another session, opened at its first mention; `owner` is there from the start
 *     --@signin {…}  --@signup {…} with the body as JSON
 *     --@fails TEXT                the next group, or sign-in, fails as a whole with this text (of several lines the first); a blank line ends it
 *     --@open {…}                  options of the database, as JSON; anywhere in the file
 *
 * Versionstamps tell the time, and read 0 in canonical texts.
 */
import type { Database, Session } from '../../src/session/contract.js';
import type { DatabaseOptions } from '../../src/session/database/options.js';
import { parseJson } from '../../src/value/codecs/json-parse.js';
import { toText } from '../../src/value/text/text.js';
import type { ObjectValue, Value } from '../../src/value/value.js';

type Wire = (value: Value) => Value;

export interface Group {
  readonly line: number;
  readonly text: string;
  readonly expected: readonly string[];
}
export interface Directive {
  readonly line: number;
  readonly word: string;
  readonly rest: string;
}

/** The options of the database that a script must run in. */
export function optionsOf(source: string): DatabaseOptions {
  const [, options = '{}'] = /^--@open\s+(.*)$/m.exec(source) ?? [];
  return JSON.parse(options) as DatabaseOptions;
}

/** What a script got where it expected something else. */
export interface Difference {
  readonly line: number;
  readonly expected: string;
  readonly got: string;
}

function readScript(source: string): (Group | Directive)[] {
  const steps: (Group | Directive)[] = [];
  let text: string[] = [];
  let expected: string[] = [];
  let begun = 0;
  /** Nothing is expected behind a group that fails, so that a blank line ends it. */
  let fails = false;
  const flush = () => {
    if (text.some((line) => line.trim() !== '')) {
      steps.push({ line: begun + 1, text: text.join('\n'), expected });
      fails = false;
    }
    text = [];
    expected = [];
  };
  for (const [at, line] of source.split('\n').entries()) {
    const directive = /^--@(\w+)\s*(.*)$/.exec(line);
    if (directive !== null) {
      flush();
      steps.push({ line: at + 1, word: directive[1] as string, rest: directive[2] as string });
      if (directive[1] === 'fails') fails = true;
    } else if (/^--(>|!|ok)/.test(line)) {
      expected.push(line);
    } else {
      if (expected.length > 0 || (fails && line.trim() === '')) flush();
      if (text.length === 0) begun = at;
      text.push(line);
    }
  }
  flush();
  return steps;
}

/** The texts of a script that are run at once each. */
export const groupTexts = (source: string): string[] =>
  readScript(source).flatMap((step) => ('text' in step ? [step.text] : []));

/** What a step was answered: a line for each result of a group, or the first line of the error with which all of it failed. */
export interface Answer {
  readonly step: Group | Directive;
  readonly results: readonly string[];
  readonly failure: string | undefined;
  /** The `--@fails` before it. */
  readonly expectedFailure: Directive | undefined;
}

interface RunOptions {
  /** Results are compared as they come through it. */
  readonly wire?: Wire | undefined;
  /** Called with the text of each group before that is run. */
  readonly before?: ((text: string) => void) | undefined;
  /** Called with each answer. */
  readonly answered?: ((answer: Answer) => void) | undefined;
}

/** Runs a script and gives the differences; none is success. */
export async function runScript(
  database: Database,
  source: string,
  { wire = (value) => value, before, answered }: RunOptions = {},
): Promise<Difference[]> {
  const sessions = new Map([['owner', listening(database.ownerSession())]]);
  const session = (name: string): Session => {
    let known = sessions.get(name);
    if (known === undefined) {
      known = listening(database.session({}));
      sessions.set(name, known);
    }
    return known;
  };
  let current = session('owner');
  await current.use('test', 'test');
  const differences: Difference[] = [];
  let expectedFailure: Directive | undefined;
  const attempt = async (step: Group | Directive, work: () => Promise<unknown>): Promise<void> => {
    const before = expectedFailure;
    expectedFailure = undefined;
    let results: readonly string[] = [];
    let failure: string | undefined;
    try {
      const given = await work();
      if ('text' in step) results = given as readonly string[];
    } catch (error) {
      failure = (error as Error).message.replace(/\n.*/s, '');
    }
    answered?.({ step, results, failure, expectedFailure: before });
    const [expected = 'success', got = 'success'] = [before?.rest, failure];
    if (got !== expected) differences.push({ line: step.line, expected, got });
    if ('text' in step && failure === undefined) differences.push(...differencesOf(step, results));
  };
  for (const step of readScript(source)) {
    if ('text' in step) {
      before?.(step.text);
      await attempt(step, () => resultsOf(current, step.text, wire));
      continue;
    }
    const { word, rest, line } = step;
    const body = () => parseJson(rest) as ObjectValue;
    if (word === 'use') {
      const [namespace, selected] = rest.split(/\s+/);
      await attempt(step, async () => current.use(namespace, selected));
    } else if (word === 'session') current = session(rest.trim());
    else if (word === 'signin') await attempt(step, () => current.signIn(body()));
    else if (word === 'signup') await attempt(step, () => current.signUp(body()));
    else if (word === 'fails') expectedFailure = step;
    else if (word === 'open') continue;
    else differences.push({ line, expected: 'a directive', got: word });
  }
  return differences;
}

/** Live queries can be begun, and notify no client. */
function listening(session: Session): Session {
  session.listen(() => {});
  return session;
}

/** A line for each result of a text. */
async function resultsOf(session: Session, text: string, wire: Wire): Promise<string[]> {
  const results = await session.query(text);
  return results.map(({ outcome }) =>
    outcome.ok
      ? `--> ${withoutTime(toText(wire(outcome.value)))}`
      : `--! ${outcome.error.message.replaceAll('\n', '\\n')}${causeOf(outcome.error)}`,
  );
}

/** Whether the results of a group are only expected to be good. */
export const takesAnything = ({ expected }: Group): boolean => expected.length === 0 || expected[0] === '--ok';

function differencesOf(group: Group, got: readonly string[]): Difference[] {
  const differences: Difference[] = [];
  const expected = takesAnything(group) ? got.map((line) => (line.startsWith('--!') ? '--ok' : line)) : group.expected;
  for (let at = 0; at < Math.max(expected.length, got.length); at++) {
    const [wanted = 'nothing', answered = 'nothing'] = [expected[at], got[at]];
    if (wanted !== answered) differences.push({ line: group.line, expected: wanted, got: answered });
  }
  return differences;
}

function withoutTime(text: string): string {
  return text.replace(/\bversionstamp: \d+/g, 'versionstamp: 0');
}

/** An error of our own making shows what was behind it, so that the failing test tells. */
function causeOf(error: { readonly code: string; readonly cause?: unknown }): string {
  return error.code === 'internal' && error.cause instanceof Error ? `: ${error.cause.stack}` : '';
}
