/** `tessera graphql schema`: the GraphQL schema of a database as text. */
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { isArray, isObject, newObject, type Value } from '../value/value.js';
import { type ConnectionOptions, connectAs } from './client/connection.js';
import { ServerError } from './client/server-error.js';

/** A full introspection query. */
const QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/**
 * The schema visible to the user, as `GET /graphql/schema.graphql` responds.
 * @throws ServerError
 */
export async function readGraphqlSchema(options: ConnectionOptions): Promise<string> {
  const client = await connectAs(options);
  try {
    const request = newObject();
    request.query = QUERY;
    return printSchema(buildClientSchema(introspectionOf(await client.call('graphql', request))));
  } finally {
    client.close();
  }
}

function introspectionOf(answer: Value): IntrospectionQuery {
  const { data, errors } = isObject(answer) ? answer : {};
  const [error] = isArray(errors) ? errors : [];
  if (isObject(error)) throw new ServerError(String(error.message));
  if (!isObject(data)) throw new ServerError('The server did not answer as expected');
  return data as unknown as IntrospectionQuery;
}
