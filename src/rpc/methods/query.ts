/** Methods with query texts: queries, GraphQL, and variables. */
import { andThen } from '../../base/promise-or-value.js';
import { failure } from '../../errors/error.js';
import { newObject, type Value } from '../../value/value.js';
import { type Method, optionalObject } from '../method.js';
import { statementResults } from '../response.js';

const VARIABLE = '(key:string, value:Value)';

const setVariable: Omit<Method, 'name'> = {
  querying: false,
  expects: VARIABLE,
  least: 1,
  most: 2,
  run: ({ session }, [name, value]) => {
    return andThen(session.setVariable(variableName(name, VARIABLE), value), () => null);
  },
};

export const queryMethods: readonly Method[] = [
  {
    name: 'query',
    querying: true,
    pipelined: true,
    expects: '(query:string, vars:object)',
    least: 1,
    most: 2,
    run: ({ executor }, [text, variables]) => {
      if (typeof text !== 'string') throw failure('invalid_params', { expected: 'query to be string' });
      return andThen(executor.query(text, optionalObject('vars', variables)), statementResults);
    },
  },
  { name: 'let', ...setVariable },
  { name: 'set', ...setVariable },
  {
    name: 'unset',
    querying: false,
    expects: '(key)',
    least: 1,
    run: ({ session }, [name]) => {
      session.unsetVariable(variableName(name, '(key)'));
      return null;
    },
  },
  {
    name: 'graphql',
    querying: true,
    expects: '(query:string, vars:object)',
    least: 1,
    most: 2,
    run: async ({ session, connection }, [query, variables]) => {
      if (connection.graphql === undefined) throw failure('graphql_disabled');
      return connection.graphql(session, graphqlRequest(query, optionalObject('vars', variables)));
    },
  },
];

function variableName(name: Value, expected: string): string {
  if (typeof name !== 'string') throw failure('invalid_params', { expected });
  return name.startsWith('$') ? name.slice(1) : name;
}

/** A query given as text, or as the object of GraphQL over HTTP. */
function graphqlRequest(query: Value, variables: Value) {
  if (typeof query !== 'string') {
    const request = optionalObject('query', query);
    if (request === undefined) throw failure('invalid_params', { expected: 'query to be string' });
    return request;
  }
  const request = newObject();
  request.query = query;
  if (variables !== undefined) request.variables = variables;
  return request;
}
