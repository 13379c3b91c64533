/** The schema of a database: what its GRAPHQL config exposes, as the definitions of tables and fields describe it. */
import { GraphQLObjectType, GraphQLSchema, specifiedDirectives } from 'graphql';
import { TRANSACTION } from './execution/transaction.js';
import { mutationFields } from './root-fields/mutation.js';
import { queryFields } from './root-fields/query.js';
import { subscriptionFields } from './root-fields/subscription.js';
import type { Exposed } from './schema/exposed.js';
import { Inputs } from './types/inputs.js';
import { type SchemaView, TableTypes } from './types/table-types.js';

export interface BuiltSchema {
  readonly schema: GraphQLSchema;
  /** Definitions that the schema can't represent. */
  readonly warnings: readonly string[];
}

export function buildSchema({ tables, functions, changing }: Exposed, view: SchemaView): BuiltSchema {
  const types = new TableTypes(tables, view);
  const inputs = new Inputs(types);
  const subscriptions = subscriptionFields(types);
  const reading = functions.filter(({ name }) => !changing.has(name));
  const writing = functions.filter(({ name }) => changing.has(name));
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: queryFields(types, inputs, reading) }),
    mutation: new GraphQLObjectType({ name: 'Mutation', fields: mutationFields(types, inputs, writing) }),
    ...(tables.length > 0 && {
      subscription: new GraphQLObjectType({ name: 'Subscription', fields: subscriptions }),
    }),
    directives: [...specifiedDirectives, TRANSACTION],
    types: [types.hidden],
    // Names are made legal, and every object has a field: there is nothing to be found out by looking through it again.
    assumeValid: true,
  });
  return { schema, warnings: types.warnings };
}
