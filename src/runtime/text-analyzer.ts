/** The interface of an analyzer within an execution, which may call a user's FUNCTION first. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import type { Analyzer } from '../search/text/analyzer.js';

/** An analyzer for the texts of one execution. */
export interface TextAnalyzer {
  readonly analyzer: Analyzer;
  /** It has no FUNCTION. */
  readonly isPlain: boolean;
  /** The result of its FUNCTION for a text, or the text itself. @throws TesseraError `analyzer_result`, and others */
  source(text: string): PromiseOrValue<string>;
}
