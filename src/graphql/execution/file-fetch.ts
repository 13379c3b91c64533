/** What a function says of files: asked for all files of one level at once, by one SELECT. */
import type { FieldNode } from 'graphql';
import { asTesseraError, type TesseraError } from '../../errors/error.js';
import type { Expression, FileAction, Select } from '../../language/ast.js';
import { FileReference, newObject, type ObjectValue, type Value } from '../../value/value.js';
import type { BatchedFetch, ExecutionContext, FetchRequest } from './execution-context.js';
import { fieldIdiom } from './select.js';

/** The cost of a file besides its fields, whether or not it exists. */
const FILE_COST = 10;

const THIS: Expression = { kind: 'param', name: 'this' };
const FILE = 'file';
const ANSWER = 'answer';

/** A function of files that answers NONE to those who may not do `action`. */
export interface FileFunction {
  readonly path: string;
  readonly action: FileAction;
}

export const HEAD: FileFunction = { path: 'file::head', action: 'head' };
export const URL_OF_FILE: FileFunction = { path: 'file::url', action: 'get' };

export interface FileFetchParts {
  /** Fields that are read for each file. */
  readonly weight: number;
  /** The options of the function. @throws GraphQLError */
  readonly options?: (call: ExecutionContext) => ObjectValue;
  /** Notes what is to be fetched for an answer. */
  readonly gather?: ((answer: Value, call: ExecutionContext) => void) | undefined;
}

interface RequestedFiles {
  readonly files: Map<string, FileReference>;
  readonly answers: Map<string, Value>;
  error: TesseraError | undefined;
}

export class FileFetch implements BatchedFetch {
  readonly #slot: number;
  readonly #nodes: readonly FieldNode[];
  readonly #parts: FileFetchParts;
  readonly #statement: Select;

  constructor(slot: number, nodes: readonly FieldNode[], asked: FileFunction, parts: FileFetchParts) {
    this.#slot = slot;
    this.#nodes = nodes;
    this.#parts = parts;
    this.#statement = selectAnswers(asked, this.#filesParam, parts.options && this.#optionsParam);
  }

  /** Notes a file to ask about. @throws BudgetExceeded */
  request(file: FileReference, call: ExecutionContext): void {
    const { files } = this.#requested(call);
    if (files.size === 0) call.waiting.push(this);
    const key = keyOf(file);
    if (files.has(key)) return;
    call.reads.spend(this.#parts.weight + FILE_COST);
    files.set(key, file);
  }

  /** The answer for a file that was requested. Its error is noted, and NONE returned. */
  answerFor(file: FileReference, call: ExecutionContext): Value {
    const { answers, error } = this.#requested(call);
    return error === undefined ? answers.get(keyOf(file)) : call.fail(error, this.#nodes);
  }

  *requests(call: ExecutionContext): Iterable<FetchRequest> {
    const requested = this.#requested(call);
    const fail = (thrown: unknown): void => {
      requested.error = asTesseraError(thrown);
    };
    const values = newObject();
    values[this.#filesParam] = [...requested.files.values()];
    try {
      if (this.#parts.options !== undefined) values[this.#optionsParam] = this.#parts.options(call);
    } catch (thrown) {
      fail(thrown);
      return;
    }
    yield {
      statement: this.#statement,
      values,
      // Files were charged when they were requested.
      most: 0,
      deliver: (rows) => {
        for (const { [FILE]: file, [ANSWER]: answer } of rows) {
          if (!(file instanceof FileReference)) continue;
          requested.answers.set(keyOf(file), answer);
          this.#parts.gather?.(answer, call);
        }
      },
      fail,
    };
  }

  get #filesParam(): string {
    return `files_${this.#slot}`;
  }

  get #optionsParam(): string {
    return `file_options_${this.#slot}`;
  }

  #requested(call: ExecutionContext): RequestedFiles {
    return call.state<RequestedFiles>(this.#slot, () => ({ files: new Map(), answers: new Map(), error: undefined }));
  }
}

/** `SELECT $this AS file, IF file::may($this, 'head') { file::head($this) } AS answer FROM $files`. */
function selectAnswers({ path, action }: FileFunction, files: string, options: string | undefined): Select {
  const args: readonly Expression[] = options === undefined ? [THIS] : [THIS, { kind: 'param', name: options }];
  const may: Expression = { kind: 'call', path: 'file::may', args: [THIS, { kind: 'literal', value: action }] };
  const answer: Expression = { kind: 'if', branches: [{ condition: may, then: { kind: 'call', path, args } }] };
  return {
    kind: 'select',
    projections: {
      kind: 'fields',
      items: [
        { kind: 'expression', expression: THIS, alias: fieldIdiom([FILE]) },
        { kind: 'expression', expression: answer, alias: fieldIdiom([ANSWER]) },
      ],
    },
    only: false,
    from: [{ kind: 'param', name: files }],
  };
}

function keyOf({ bucket, key }: FileReference): string {
  return `${bucket}:${key}`;
}
