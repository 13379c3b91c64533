/** Definitions and live queries as objects, for INFO … STRUCTURE. Clauses that are missing are left out. */
import { stateOf } from '../../catalog/definitions/index-states.js';
import {
  type Definition,
  type DefinitionKind,
  type DefinitionOf,
  statementOf,
} from '../../catalog/definitions/stored-definition.js';
import { describeStatement, printExpression, printProjections } from '../../language/print.js';
import type { ListedLiveQuery } from '../../runtime/execution.js';
import { type ObjectValue, objectFrom, type Value } from '../../value/value.js';

/** A definition as INFO … STRUCTURE shows it: its clauses, and properties that its text doesn't have. */
export function describeDefinition(definition: Definition): ObjectValue {
  const properties = PROPERTIES[definition.kind] as ((definition: never) => Properties) | undefined;
  return objectFrom({ ...describeStatement(statementOf(definition)), ...properties?.(definition as never) });
}

type Properties = Readonly<Record<string, Value>>;

const PROPERTIES: { readonly [K in DefinitionKind]?: (definition: DefinitionOf<K>) => Properties } = {
  'define-namespace': ({ id }) => ({ id }),
  'define-database': ({ id }) => ({ id }),
  'define-table': ({ id }) => ({ id }),
  'define-index': (index) => (stateOf(index) === 'withdrawn' ? { prepare_remove: true } : {}),
};

/** A live query. The reference engine also names the server that looks after it. */
export function describeLive({ id, statement, table }: ListedLiveQuery): ObjectValue {
  const { projections, where, fetch } = statement;
  return objectFrom({
    ...(where !== undefined && { cond: printExpression(where) }),
    ...(fetch !== undefined && { fetch: fetch.map((each) => printExpression(each)) }),
    fields: projections.kind === 'diff' ? 'diff' : printProjections(projections),
    id,
    what: table.definition.name,
  });
}
