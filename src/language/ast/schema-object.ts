/** Definitions of namespaces and databases, and of the objects of a database other than tables. */
import type { Type } from '../../value/type.js';
import type { Changefeed, DefinitionClauses, InGraphql, Name, Permission } from './definition.js';
import type { Block, Expression, Parameter } from './expression.js';

export interface DefineNamespace extends DefinitionClauses {
  readonly kind: 'define-namespace';
  readonly name: Name;
}

export interface DefineDatabase extends DefinitionClauses {
  readonly kind: 'define-database';
  readonly name: Name;
  readonly strict: boolean;
  readonly changefeed?: Changefeed;
}

export interface DefineParam extends DefinitionClauses {
  readonly kind: 'define-param';
  readonly name: string;
  readonly value: Expression;
  readonly permissions: Permission;
}

export interface DefineFunction extends DefinitionClauses, InGraphql {
  readonly kind: 'define-function';
  /** Without `fn::`, e.g. `user::greet`. */
  readonly name: string;
  readonly parameters: readonly Parameter[];
  readonly returns?: Type;
  readonly body: Block;
  readonly permissions: Permission;
}

export interface DefineAnalyzer extends DefinitionClauses {
  readonly kind: 'define-analyzer';
  readonly name: Name;
  readonly function?: string;
  readonly tokenizers: readonly TokenizerName[];
  readonly filters: readonly AnalyzerFilter[];
}

/** `segment` finds words in writing without blanks; it is our own. */
export type TokenizerName = 'blank' | 'camel' | 'class' | 'punct' | 'segment';

/** `nfc` and `stopwords` are our own. */
export type AnalyzerFilter =
  | { readonly kind: 'ascii' | 'lowercase' | 'uppercase' | 'nfc' }
  | { readonly kind: 'edgengram' | 'ngram'; readonly min: number; readonly max: number }
  | { readonly kind: 'snowball' | 'stopwords'; readonly language: string }
  | { readonly kind: 'mapper'; readonly path: string };

/** Ascending numbers, each assigned once. The clauses are evaluated when the sequence is defined. */
export interface DefineSequence extends Omit<DefinitionClauses, 'comment'> {
  readonly kind: 'define-sequence';
  readonly name: Name;
  /** The batch of numbers that a server reserves at a time. */
  readonly batch: Expression;
  readonly start: Expression;
  readonly timeout?: Expression;
  /** Absent: record users and guests draw numbers in stored code alone. */
  readonly permissions?: Permission;
}
