/**
 * Files of tests: statements, what they must answer, and as whom they run.
 *
 *     CREATE user:ann, user:bob;                        what stands before the first test is there for each
 *     CREATE note:1 SET owner = user:ann;
 *
 *     -- test A note is its owner's alone
 *     -- as user:bob via account
 *     SELECT * FROM note;
 *     --> []
 *     DELETE note:1 RETURN BEFORE;
 *     -- doesn't see note:1
 *     CREATE note SET owner = user:ann;
 *     --! permission
 *
 * Other comments are comments.
 */
import { TesseraError } from '../../errors/error.js';
import { parseRecordId, parseValue } from '../../language/parse.js';
import type { RecordId, Value } from '../../value/value.js';
import { CommandError } from '../command-error.js';

export interface TestFile {
  readonly path: string;
  readonly lines: readonly string[];
  /** Run before each test. */
  readonly preparation: readonly TestStep[];
  readonly tests: readonly Test[];
}

export interface Test {
  readonly name: string;
  /** Of `-- test`, counted from 1. */
  readonly line: number;
  readonly steps: readonly TestStep[];
}

/** Each has the number of its first line. */
export type TestStep =
  | (Expectations & { readonly kind: 'statements'; readonly line: number; readonly text: string })
  | { readonly kind: 'as'; readonly line: number; readonly who: Who }
  | (Expectations & Credentials & { readonly kind: 'signup' | 'signin'; readonly line: number });

interface Credentials {
  readonly access: string;
  readonly variables: Value;
}

interface Expectations {
  /** Of the last results, one each. */
  readonly results: ResultExpectation[];
  /** Of the last result. */
  readonly rows: RowExpectation[];
}

/** As whom statements run. */
export type Who =
  | { readonly role: 'owner' | 'editor' | 'viewer' | 'guest' }
  | { readonly record: RecordId; readonly access: string };

export type ResultExpectation =
  | { readonly kind: 'value'; readonly line: number; readonly value: Value }
  | { readonly kind: 'error'; readonly line: number; readonly text: string };

export interface RowExpectation {
  readonly line: number;
  /** None: there are no rows at all. */
  readonly records: readonly RecordId[];
  readonly areSeen: boolean;
}

const DIRECTIVE = /^\s*--\s+(test|as|signup|signin|sees|doesn[’']t see)\b\s*(.*?)\s*$/;
const RESULT = /^\s*--([>!])\s*(.*?)\s*$/;
const ROLES = ['owner', 'editor', 'viewer', 'guest'] as const;

/** @throws CommandError with the place of what isn't understood */
export function readTestFile(path: string, text: string): TestFile {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  return { path, lines, ...new TestReader(path).read(lines) };
}

class TestReader {
  readonly #path: string;
  readonly #preparation: TestStep[] = [];
  readonly #tests: { readonly name: string; readonly line: number; readonly steps: TestStep[] }[] = [];
  /** Statements that end with the next directive or expectation. */
  #text: string[] = [];
  #line = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(lines: readonly string[]): Pick<TestFile, 'preparation' | 'tests'> {
    for (const [at, line] of lines.entries()) {
      this.#line = at + 1;
      const [, mark, expected = ''] = RESULT.exec(line) ?? [];
      const [, word, rest = ''] = DIRECTIVE.exec(line) ?? [];
      if (mark === undefined && word === undefined) this.#text.push(line);
      else {
        this.#endStatements();
        if (mark !== undefined) this.#expected.results.push(this.#resultOf(mark, expected));
        else if (word !== undefined) this.#direct(word, rest);
      }
    }
    this.#line = lines.length + 1;
    this.#endStatements();
    return { preparation: this.#preparation, tests: this.#tests };
  }

  get #steps(): TestStep[] {
    return this.#tests.at(-1)?.steps ?? this.#preparation;
  }

  #endStatements(): void {
    const text = this.#text;
    this.#text = [];
    // Comments alone are no statements.
    const first = text.findIndex((line) => !/^\s*(--.*|#.*|\/\/.*)?$/.test(line));
    if (first === -1) return;
    const line = this.#line - text.length + first;
    this.#steps.push({ kind: 'statements', line, text: text.slice(first).join('\n'), ...nothingExpected() });
  }

  #direct(word: string, rest: string): void {
    const line = this.#line;
    if (word === 'test') {
      if (rest === '') throw this.#misread('a test has a name: -- test A note is its owner’s alone');
      this.#tests.push({ name: rest, line, steps: [] });
    } else if (word === 'as') this.#steps.push({ kind: 'as', line, who: this.#who(rest) });
    else if (word === 'signup' || word === 'signin') {
      this.#steps.push({ kind: word, line, ...this.#credentials(rest), ...nothingExpected() });
    } else {
      const records = word === 'sees' && rest === 'nothing' ? [] : this.#records(rest);
      this.#expected.rows.push({ line, records, areSeen: word === 'sees' });
    }
  }

  /** What is expected of the step that came last. */
  get #expected(): Expectations {
    const step = this.#steps.at(-1);
    if (step !== undefined && step.kind !== 'as') return step;
    throw this.#misread('no statement stands before what is expected of it');
  }

  #resultOf(mark: string, text: string): ResultExpectation {
    const line = this.#line;
    if (mark === '>') return { kind: 'value', line, value: this.#value(text) };
    if (text === '') throw this.#misread('an error is expected by its code or a part of its text: --! invalid_auth');
    return { kind: 'error', line, text };
  }

  #who(text: string): Who {
    const role = ROLES.find((each) => each === text);
    if (role !== undefined) return { role };
    const [, id = '', access] = /^(.+?)\s+via\s+(\S+)$/.exec(text) ?? [];
    if (access === undefined) throw this.#misread(`as whom? One of ${ROLES.join(', ')}, or user:ann via account`);
    return { record: this.#record(id), access };
  }

  #credentials(text: string): Credentials {
    const [, access = '', variables = ''] = /^(\S+)\s+(\{.*\})$/.exec(text) ?? [];
    if (access === '') throw this.#misread('an access method and what it asks for: -- signup account { name: "ann" }');
    return { access, variables: this.#value(variables) };
  }

  #records(text: string): RecordId[] {
    const ids = text.split(/,\s*(?![^[{]*[\]}])/).filter((id) => id !== '');
    if (ids.length === 0) throw this.#misread('the records that are seen or not: -- sees note:1, note:2');
    return ids.map((id) => this.#record(id));
  }

  #record(text: string): RecordId {
    const id = this.#parsed(() => parseRecordId(text));
    if (id === undefined) throw this.#misread(`${text} is no record: user:ann`);
    return id;
  }

  #value(text: string): Value {
    return this.#parsed(() => parseValue(text));
  }

  #parsed<T>(parse: () => T): T {
    try {
      return parse();
    } catch (error) {
      if (error instanceof TesseraError) throw this.#misread(error.message.trimEnd());
      throw error;
    }
  }

  #misread(problem: string): CommandError {
    return new CommandError(`${this.#path}:${this.#line}: ${problem}`, TEST_EXIT_CODES.unreadable);
  }
}

function nothingExpected(): Expectations {
  return { results: [], rows: [] };
}

/** Exit codes of `tessera test`, besides 0 for all have passed. */
export const TEST_EXIT_CODES = { failed: 1, unreadable: 2 } as const;
