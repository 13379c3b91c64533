/** The analyzers of a database, ready to analyze texts: with their FUNCTION. */
import { Derived } from '../../base/derived.js';
import { andThen, forEachInOrder, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { AnalyzerDefinition } from '../../catalog/definitions/definition.js';
import { failure, TesseraError } from '../../errors/error.js';
import { LemmaFiles } from '../../records/search/lemma-files.js';
import { chargedWork } from '../../runtime/charged-work.js';
import type { AnalyzerRegistry, Execution } from '../../runtime/execution.js';
import { type Compiler, Frame } from '../../runtime/frame.js';
import { Scope } from '../../runtime/scope.js';
import type { TextAnalyzer } from '../../runtime/text-analyzer.js';
import { Analyzer } from '../../search/text/analyzer.js';
import type { Lemmas } from '../../search/text/filters.js';
import { CUSTOM, callDefined } from './call-defined.js';

/** Full-text search. */
export interface SearchOptions {
  /** The folders whose files `mapper` may read. */
  readonly mapperFolders: readonly string[];
  /**
   * The basis of scores for users subject to PERMISSIONS: matching rows that they may see, or the whole index,
   * which reveals how frequent words are in hidden rows.
   */
  readonly statistics: 'visible' | 'shared';
}

/** All analyzers of an open store. */
export class Analyzers implements AnalyzerRegistry {
  readonly #compiler: Compiler;
  readonly #files: LemmaFiles;
  readonly #made = new Derived<AnalyzerDefinition, Analyzer>();
  /** Those without FUNCTION, which are the same for all executions. */
  readonly #plain = new Derived<Analyzer, TextAnalyzer>();

  readonly sharesStatistics: boolean;

  constructor(compiler: Compiler, { mapperFolders = [], statistics }: Partial<SearchOptions> = {}) {
    this.#compiler = compiler;
    this.#files = new LemmaFiles(mapperFolders);
    this.sharesStatistics = statistics === 'shared';
  }

  named(execution: Execution, name: string): PromiseOrValue<TextAnalyzer> {
    return andThen(execution.context.catalog(), (catalog) => {
      const definition = catalog?.analyzers.get(name);
      if (definition === undefined) throw failure('analyzer_missing', { name });
      return andThen(this.prepare(execution, definition), (analyzer) => {
        const { function: called } = definition;
        if (called === undefined) return this.#plainOf(analyzer);
        return { analyzer, isPlain: false, source: (text) => this.#call(execution, called, text) };
      });
    });
  }

  #plainOf(analyzer: Analyzer): TextAnalyzer {
    let plain = this.#plain.get(analyzer);
    if (plain === undefined) {
      plain = { analyzer, isPlain: true, source: (text) => text };
      this.#plain.set(analyzer, plain);
    }
    return plain;
  }

  /** Reads the files that a definition names, once. */
  prepare(execution: Execution, definition: AnalyzerDefinition): PromiseOrValue<Analyzer> {
    const made = this.#made.get(definition);
    if (made !== undefined) return made;
    const paths = definition.filters.flatMap((filter) => (filter.kind === 'mapper' ? filter.path : []));
    const lemmas = new Map<string, Lemmas>();
    let count = 0;
    const work = chargedWork(execution, () => count);
    const read = (more: number) => {
      count += more;
      return work.checkpoint();
    };
    const all = forEachInOrder([...new Set(paths)], (path) =>
      andThen(this.#files.read(path, read), (found) => {
        lemmas.set(path, found);
        return undefined;
      }),
    );
    return andThen(all, () => {
      const analyzer = new Analyzer(definition, (path) => lemmas.get(path) ?? new Map());
      this.#made.set(definition, analyzer);
      return analyzer;
    });
  }

  #call(execution: Execution, name: string, text: string): PromiseOrValue<string> {
    const frame = new Frame(execution, new Scope());
    return andThen(
      otherwise(() => callDefined(name, [text], frame, this.#compiler), missing),
      (made) => {
        if (typeof made !== 'string') throw failure('analyzer_result', { name });
        return made;
      },
    );

    function missing(error: unknown): never {
      const isMissing = error instanceof TesseraError && error.code === 'function_not_defined';
      throw isMissing ? failure('function_undefined', { name: CUSTOM + name }) : error;
    }
  }
}

/** The terms of a text, in order. */
export function termsOf(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  text: string,
): PromiseOrValue<readonly string[]> {
  const terms: string[] = [];
  const work = chargedWork(execution, () => terms.length);
  return andThen(source(text), (analyzed) =>
    andThen(
      analyzer.terms(analyzed, work, (term) => terms.push(term)),
      () => terms,
    ),
  );
}
