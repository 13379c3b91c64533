/** What a way of access methods of TYPE RECORD has for its grammar. */
import type { AccessWay } from '../ast.js';
import type { Parser } from '../parser/parser.js';
import type { Printer } from '../printer/printer.js';
import type { ShownMembers } from './clause.js';

/** The grammar of a way. */
export interface WayGrammar<W extends AccessWay> {
  /** The words behind WITH. */
  readonly words: readonly [string, ...string[]];
  /** Whether its proofs are for the record that SIGNIN answers. Otherwise the clause means nothing. */
  readonly usesSignin: boolean;
  /** Whether it only completes what another way has begun, so that neither clause means anything. Default: no. */
  readonly isSecond?: boolean;
  /** Reads what follows the words. */
  parse(parser: Parser): W;
  /** What follows the words; secrets only where the printer shows them. */
  text(way: W, printer: Printer): string;
  /** Without secrets. */
  structure(way: W): ShownMembers;
  /** The secrets that it holds, which must not be the text by which they are redacted. */
  secrets?(way: W): readonly string[];
}
