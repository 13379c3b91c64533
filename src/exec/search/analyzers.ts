/** The analyzers of a database, ready to analyze texts: with what their FUNCTION makes of a text. */
import { Derived } from '../../base/derived.js';
import { andThen, otherwise, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { AnalyzerDefinition } from '../../catalog/definitions/definition.js';
import { failure, TesseraError } from '../../errors/error.js';
import { Analyzer, type TermAt } from '../../search/analyzer.js';
import type { Lemmas } from '../../search/filters.js';
import { CUSTOM, callDefined } from '../expression/call-defined.js';
import {
  type AnalyzerRegistry,
  type Compiler,
  type Execution,
  Frame,
  type TextAnalyzer,
} from '../runtime/execution.js';
import { Scope } from '../runtime/scope.js';

/** All analyzers of an open store. */
export class Analyzers implements AnalyzerRegistry {
  readonly #compiler: Compiler;
  readonly #made = new Derived<AnalyzerDefinition, Analyzer>();

  constructor(compiler: Compiler) {
    this.#compiler = compiler;
  }

  named(execution: Execution, name: string): PromiseOrValue<TextAnalyzer> {
    return andThen(execution.context.catalog(), (catalog) => {
      const definition = catalog?.analyzers.get(name);
      if (definition === undefined) throw failure('analyzer_missing', { name });
      return this.#of(execution, definition);
    });
  }

  #of(execution: Execution, definition: AnalyzerDefinition): TextAnalyzer {
    let analyzer = this.#made.get(definition);
    if (analyzer === undefined) {
      analyzer = new Analyzer(definition, lemmasOf);
      this.#made.set(definition, analyzer);
    }
    const { function: called } = definition;
    return {
      analyzer,
      source: (text) => (called === undefined ? text : this.#call(execution, called, text)),
    };
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

/** No folder is open to `mapper`. */
function lemmasOf(path: string): Lemmas {
  throw failure('analyzer_file_denied', { path });
}

/** The terms of a text, in order, each with its place in what is analyzed. */
export function termsOf(
  execution: Execution,
  { analyzer, source }: TextAnalyzer,
  text: string,
): PromiseOrValue<{ readonly source: string; readonly terms: readonly TermAt[] }> {
  const pause = () => execution.interrupt.checkpoint();
  return andThen(source(text), (analyzed) => {
    const terms: TermAt[] = [];
    return andThen(
      analyzer.termsAt(analyzed, pause, (term) => terms.push(term)),
      () => ({ source: analyzed, terms }),
    );
  });
}
