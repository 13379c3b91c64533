/** `tessera graphql schema`: the GraphQL schema of a database as text. */
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql';
import { isArray, isObject, newObject, type Value } from '../value/value.js';
import { type ConnectionOptions, connectAs, type Outputs } from './connection.js';

/** Everything that a schema as text tells. */
const QUERY = getIntrospectionQuery({
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
});

/** Prints the schema as whoever signs in may see it, which `GET /graphql/schema.graphql` gives, too. Gives the exit code. */
export async function printGraphqlSchema(options: ConnectionOptions, { output, errors }: Outputs): Promise<number> {
  const client = await connectAs(options);
  try {
    const request = newObject();
    request.query = QUERY;
    output.write(`${printSchema(buildClientSchema(introspectionOf(await client.call('graphql', request))))}\n`);
    return 0;
  } catch (error) {
    errors.write(`${(error as Error).message}\n`);
    return 1;
  } finally {
    client.close();
  }
}

function introspectionOf(answer: Value): IntrospectionQuery {
  if (!isObject(answer)) throw new Error('The server did not answer as expected');
  const [first] = isArray(answer.errors) ? answer.errors : [];
  if (isObject(first)) throw new Error(String(first.message));
  return answer.data as unknown as IntrospectionQuery;
}
