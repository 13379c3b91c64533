/**
 * `fn_user_greet(name: "Ann")`: calls a function of the database, `fn::user::greet`. It is a field of Query if it
 * changes nothing, else of Mutation.
 */
import type { GraphQLFieldConfigArgumentMap, GraphQLFieldConfigMap } from 'graphql';
import { GraphQLNonNull } from 'graphql';
import type { FunctionDefinition } from '../../catalog/definitions/definition.js';
import type { Parameter } from '../../language/ast.js';
import { fromRoot } from '../execution/field-source.js';
import type { FieldUse } from '../execution/field-use.js';
import { NestedWrites } from '../execution/nested-writes.js';
import type { RootPlan } from '../execution/root-plan.js';
import { present } from '../schema/field-tree.js';
import { isGiven } from '../schema/list-arguments.js';
import { Names } from '../schema/names.js';
import { type OutputShape, outputShapeOf } from '../schema/output-shape.js';
import { nothingOf } from '../schema/writable.js';
import type { Argument, Inputs } from '../types/inputs.js';
import type { TableTypes } from '../types/table-types.js';
import { type RootConfig, statementWork } from './root-config.js';

/** The fields of functions, under names not yet in use. */
export function functionFields(
  functions: readonly FunctionDefinition[],
  types: TableTypes,
  inputs: Inputs,
  names: Names,
): GraphQLFieldConfigMap<unknown, unknown> {
  const fields: GraphQLFieldConfigMap<unknown, unknown> = {};
  for (const definition of functions) {
    const { name, graphqlAlias } = definition;
    const wanted = graphqlAlias ?? `fn_${name.replaceAll('::', '_')}`;
    const config = functionField(definition, wanted, types, inputs);
    const claimed = config && names.claim(wanted);
    if (claimed === undefined) types.warn(`the function fn::${name} is left out`);
    else {
      if (claimed !== wanted) types.warn(`the function fn::${name} is called ${claimed}`);
      fields[claimed] = config as RootConfig;
    }
  }
  return fields;
}

/** A parameter of a function, with its name in GraphQL. */
interface Taken {
  readonly parameter: Parameter;
  readonly name: string;
  readonly argument: Argument;
}

/** `undefined` if GraphQL has no form for its parameters. */
function functionField(
  definition: FunctionDefinition,
  fieldName: string,
  types: TableTypes,
  inputs: Inputs,
): RootConfig | undefined {
  const { parameters, returns, comment, graphqlDeprecated } = definition;
  const names = new Names();
  const taken: Taken[] = [];
  for (const parameter of parameters) {
    const position = { names: [fieldName, parameter.name], node: undefined };
    const argument = inputs.ofArgument(outputShapeOf(parameter.type, position, types).shape.writable);
    if (argument === undefined) return undefined;
    taken.push({ parameter, name: names.claim(parameter.name), argument });
  }
  const { shape } = outputShapeOf(returns, { names: [fieldName], node: undefined }, types);
  const args: GraphQLFieldConfigArgumentMap = Object.fromEntries(
    taken.map(({ parameter, name, argument: { type } }) => [
      name,
      { type: present(parameter.type).nullable ? type : new GraphQLNonNull(type) },
    ]),
  );
  return {
    type: shape.type,
    args,
    ...(comment !== undefined && { description: comment }),
    ...(graphqlDeprecated !== undefined && { deprecationReason: graphqlDeprecated }),
    extensions: fromRoot((field) => compileCall(field, definition, taken, shape)),
  };
}

function compileCall(
  field: FieldUse,
  { name }: FunctionDefinition,
  taken: readonly Taken[],
  { read }: Pick<OutputShape, 'read'>,
): RootPlan {
  return {
    completion: field.completion(),
    begin: (call) => {
      const { statement, values } = field.arguments.bound(call, (given, { params }) => {
        const writing = new NestedWrites(call.random);
        const args = taken.map(({ parameter, name: key, argument }) => {
          const value = given[key];
          if (isGiven(value)) return params.bind(argument.read(value, writing));
          return params.bind(value === undefined ? undefined : nothingOf(parameter.type));
        });
        return {
          statement: { kind: 'expression', expression: { kind: 'call', path: `fn::${name}`, args } } as const,
          values: params.values,
        };
      });
      return statementWork([statement], values, 1, ([value]) => (read === undefined ? value : read(value)));
    },
  };
}
