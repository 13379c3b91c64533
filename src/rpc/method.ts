/** The definition of an RPC method. Each family of methods is a table of these. */
import type { PromiseOrValue } from '../base/promise-or-value.js';
import { failure, type TesseraError } from '../errors/error.js';
import type { Session, StatementExecutor } from '../session/contract.js';
import type { BodyFormat } from '../value/codecs/formats.js';
import { isObject, kindOf, type ObjectValue, type Value } from '../value/value.js';
import { isNothing } from './request.js';

/** A call of a method. */
export interface RpcCall {
  /** The session it runs in: the connection's own or an attached one. */
  readonly session: Session;
  /**
   * Runs its statements: in that session, pipelined if the method permits, or in the transaction named by the request.
   */
  readonly executor: StatementExecutor;
  /** The attached session named by the request. */
  readonly sessionId: string | undefined;
  /** That of the request. */
  readonly format: BodyFormat;
  readonly connection: ConnectionServices;
}

/** The connection's services beyond the session. */
export interface ConnectionServices {
  /**
   * Checks that the storage can be read.
   * @throws TesseraError `storage_unavailable`
   */
  check(): Promise<void>;
  attach(id: string): void;
  detach(id: string): void;
  attached(): string[];
  /** The namespace and database that `use` selects if none is selected or given. */
  readonly defaults: { readonly namespace: string; readonly database: string } | undefined;
  readonly graphql: GraphqlMethod | undefined;
  /** Whether messages can be pushed to the client. */
  readonly notifies: boolean;
  /** Ends a live query of one of its sessions but `besides`, whose own are ended by KILL; whether there was one. */
  endLive(id: string, besides: Session): boolean;
}

/** Executes a GraphQL request `{query, variables?, operationName?}` in a session; returns `{data?, errors?}`. */
export type GraphqlMethod = (session: Session, request: ObjectValue) => Promise<Value>;

export interface Method {
  readonly name: string;
  /** The expected parameters in error texts: `(what:Value, data:Value)`. */
  readonly expects: string;
  /** Minimum number of parameters. Default 0. */
  readonly least?: number;
  /** Maximum number of parameters. Default: unlimited. */
  readonly most?: number;
  /**
   * Whether a call takes a query or an equivalent, which `--deny-arbitrary-query` refuses to its subjects: a statement,
   * its parts, or a function of the language. It may depend on the parameters.
   */
  readonly querying: boolean | ((params: readonly Value[]) => boolean);
  /** Changes the principal, so that an expired token sent with the request is ignored. */
  readonly signsIn?: true;
  /** Leaves a guest. */
  readonly signsOut?: true;
  /** Works even if the session named by the request doesn't exist. */
  readonly sessionless?: true;
  /**
   * Only runs statements, which see the effects of earlier requests before these are durable. Other methods wait for
   * durability first.
   */
  readonly pipelined?: true;
  /** Answered at once, ahead of queued requests of the session. */
  readonly outOfTurn?: true;
  run(call: RpcCall, params: readonly Value[]): PromiseOrValue<Value>;
}

/**
 * Checks the number of parameters.
 * @throws TesseraError `invalid_params`
 */
export function checkCount(method: Method, params: readonly Value[]): void {
  if (params.length < (method.least ?? 0) || params.length > (method.most ?? Number.POSITIVE_INFINITY)) {
    throw failure('invalid_params', { expected: method.expects });
  }
}

/** Whether a call is a query or an equivalent. */
export function isQuerying({ querying }: Method, params: readonly Value[]): boolean {
  return typeof querying === 'function' ? querying(params) : querying;
}

/** The error `invalid_params` for a parameter of the wrong kind. */
export function wrongKind(name: string, kind: string, value: Value): TesseraError {
  return failure('invalid_params', { expected: `${name} to be ${kind}, got ${kindOf(value)}` });
}

/** An optional object: NONE and NULL count as absent. @throws TesseraError `invalid_params` */
export function optionalObject(name: string, value: Value): ObjectValue | undefined {
  if (isNothing(value)) return undefined;
  if (!isObject(value)) throw wrongKind(name, 'object', value);
  return value;
}
