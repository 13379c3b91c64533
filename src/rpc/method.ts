/** What a method is. Each family of methods is a table of these. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session, StatementExecutor } from '../session/contract.js';
import { isObject, kindOf, type ObjectValue, type Value } from '../value/value.js';
import { isNothing } from './request.js';

/** A call under way, as a method sees it. */
export interface RpcCall {
  /** The session it acts in: the connection's own or an attached one. */
  readonly session: Session;
  /** Where its statements run: in that session, ahead of what is durable if the method says so, or in the transaction that the request named. */
  readonly executor: StatementExecutor;
  /** The attached session that the request named. */
  readonly sessionId: string | undefined;
  /** JSON has no record ids, so a string that looks like one is one. */
  readonly json: boolean;
  readonly connection: ConnectionServices;
}

/** What methods need of the connection beside the session. */
export interface ConnectionServices {
  /** Fails when the storage can't be read. */
  check(): Promise<void>;
  attach(id: string): void;
  detach(id: string): void;
  attached(): string[];
  /** What `use` selects when nothing is selected and nothing is asked for. */
  readonly defaults: { readonly namespace: string; readonly database: string } | undefined;
  readonly graphql: GraphqlMethod | undefined;
  /** Whether messages can go to the client unasked. */
  readonly notifies: boolean;
}

/** Runs a GraphQL request `{query, variables?, operationName?}` in a session; gives `{data?, errors?}`. */
export type GraphqlMethod = (session: Session, request: ObjectValue) => Promise<Value>;

export interface Method {
  readonly name: string;
  /** What the error says when the parameters don't fit: `(what:Value, data:Value)`. */
  readonly expects: string;
  /** How many parameters there must be; 0 unless told. */
  readonly least?: number;
  /** How many there may be; any number unless told. */
  readonly most?: number;
  /** It says anew who is signed in, so that an outdated token beside it doesn't matter. */
  readonly signsIn?: true;
  /** It works without the session that the request names. */
  readonly sessionless?: true;
  /** It does no more than run statements, which see what those before it have done before that is durable. Others wait for that first. */
  readonly pipelined?: true;
  /** It is answered at once, whatever is under way in that session. */
  readonly outOfTurn?: true;
  run(call: RpcCall, params: readonly Value[]): PromiseOrValue<Value>;
}

/** @throws TesseraError `invalid_params` when there are too few or too many */
export function checkCount(method: Method, params: readonly Value[]): void {
  if (params.length < (method.least ?? 0) || params.length > (method.most ?? Number.POSITIVE_INFINITY)) {
    throw failure('invalid_params', { expected: method.expects });
  }
}

/** `invalid_params` for a parameter of the wrong kind. */
export function wrongKind(name: string, kind: string, value: Value): TesseraError {
  return failure('invalid_params', { expected: `${name} to be ${kind}, got ${kindOf(value)}` });
}

/** An optional object: NONE and NULL count as absent. */
export function optionalObject(name: string, value: Value): ObjectValue | undefined {
  if (isNothing(value)) return undefined;
  if (!isObject(value)) throw wrongKind(name, 'object', value);
  return value;
}
