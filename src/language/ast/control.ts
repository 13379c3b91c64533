/** Statements that steer a request: variables, branches, loops, transactions. */
import type { Type } from '../../value/type.js';
import type { Name } from './definition.js';
import type { Block, Expression, Literal } from './expression.js';

export interface Use {
  readonly kind: 'use';
  readonly namespace?: Name;
  readonly database?: Name;
}

export interface Let {
  readonly kind: 'let';
  readonly name: string;
  readonly type?: Type;
  readonly value: Expression;
}

export interface Return {
  readonly kind: 'return';
  readonly value: Expression;
  readonly fetch?: readonly Expression[];
}

export interface Throw {
  readonly kind: 'throw';
  readonly value: Expression;
}

export interface For {
  readonly kind: 'for';
  readonly variable: string;
  readonly over: Expression;
  readonly body: Block;
}

export interface Break {
  readonly kind: 'break';
}

export interface Continue {
  readonly kind: 'continue';
}

export interface Begin {
  readonly kind: 'begin';
}

export interface Commit {
  readonly kind: 'commit';
}

export interface Cancel {
  readonly kind: 'cancel';
}

/** `OPTION IMPORT [= TRUE]`. */
export interface Option {
  readonly kind: 'option';
  readonly name: string;
  readonly value: boolean;
}

export interface Sleep {
  readonly kind: 'sleep';
  readonly duration: Literal;
}
