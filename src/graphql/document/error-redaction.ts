/** Redacts errors of the GraphQL library before they are sent. */
import { GraphQLError, type GraphQLSchema, isEnumType } from 'graphql';

/**
 * The library's error when it has compared fields of one name with each other too often; it stops at half a million
 * comparisons.
 */
const ABORTED = 'Validation aborted.';
const REPETITIVE = 'The document repeats fields of the same name too often to be checked';

/** `isClosed`: the caller may not learn about the schema, neither by suggestions nor by names beyond those it sent. */
export function redactedError(error: GraphQLError, schema: GraphQLSchema, isClosed: boolean): GraphQLError {
  if (error.message === ABORTED) return new GraphQLError(REPETITIVE);
  if (!isClosed) return error;
  const message = withoutEnums(withoutSuggestion(error.message), schema);
  const { originalError } = error;
  return new GraphQLError(message, { nodes: error.nodes ?? null, ...(originalError && { originalError }) });
}

/** The library suggests selections even with suggestions disabled. */
function withoutSuggestion(message: string): string {
  return message.replace(/ Did you mean [^?]*\?$/, '');
}

/** Enums are named after their values: `happy_or_angry`. */
function withoutEnums(message: string, schema: GraphQLSchema): string {
  return message.replace(/"[^"]*"/g, (quoted) =>
    quoted.replace(/\w+/g, (name) => (isEnumType(schema.getType(name)) ? 'enum' : name)),
  );
}
