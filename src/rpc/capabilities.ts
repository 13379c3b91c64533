/** Capabilities: which routes, methods and queries the server offers, regardless of users' rights. */
import type { Principal } from '../catalog/principal.js';
import { failure } from '../errors/error.js';

/** A specific name takes precedence over a general rule; between equals, denying does. */
export interface NameRule<N extends string = string> {
  readonly allow: 'all' | readonly N[];
  readonly deny: 'all' | readonly N[];
}

export const SUBJECTS = ['guest', 'record', 'system'] as const;
/** The subjects of query rules. */
export type RuleSubject = (typeof SUBJECTS)[number];

export interface Capabilities {
  /** HTTP routes by their first segment: `sql`, `rpc`, `api`. */
  readonly routes: NameRule;
  /** RPC methods. */
  readonly methods: NameRule;
  /** Which subjects may send query texts, rather than call defined functions and endpoints. */
  readonly queries: NameRule<RuleSubject>;
}

const ALL: NameRule<never> = { allow: 'all', deny: [] };
export const EVERYTHING: Capabilities = { routes: ALL, methods: ALL, queries: ALL };

/** Whether a rule permits a name. */
export function permits<N extends string>({ allow, deny }: NameRule<N>, name: N): boolean {
  return weight(allow, name) > weight(deny, name);
}

function weight<N extends string>(names: 'all' | readonly N[], name: N): number {
  if (names === 'all') return 1;
  return names.includes(name) ? 2 : 0;
}

/**
 * Checks a route.
 * @throws TesseraError `route_denied`
 */
export function checkRoute({ routes }: Capabilities, name: string): void {
  if (!permits(routes, name)) throw failure('route_denied', { name });
}

/**
 * Checks a method.
 * @throws TesseraError `method_denied`
 */
export function checkMethod({ methods }: Capabilities, name: string): void {
  if (!permits(methods, name)) throw failure('method_denied', { name });
}

/**
 * Checks whether a principal may send queries. Each method (`Method.querying`) and each route (`Route.querying`) says
 * whether its calls are some.
 * @throws TesseraError `query_denied`
 */
export function checkQuerying({ queries }: Capabilities, { kind }: Principal): void {
  if (!permits(queries, kind)) throw failure('query_denied', { subject: kind });
}
