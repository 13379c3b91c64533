/**
 * An operation, compiled once and run often. What it asks for may depend on the variables that @skip and @include read,
 * so there is a variant for each combination of those.
 */
import {
  type DirectiveNode,
  type DocumentNode,
  executeSync,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type TypeNode,
  visit,
} from 'graphql';
import { invariant } from '../../base/invariant.js';
import { TwoGenerationCache } from '../../base/two-generation-cache.js';
import { FileReference, isObject, newObject, type ObjectValue, type Value } from '../../value/value.js';
import { type CollectedFields, collectFields, type DocumentContext, selectionsBelow } from './collect.js';
import type { ExecutionContext } from './execution-context.js';
import { EdgeFetch, LinkFetch } from './fetch.js';
import { FieldArguments } from './field-arguments.js';
import {
  abstractTypes,
  type EdgesSource,
  type FieldSource,
  type FileAnswerSource,
  fileTypes,
  type HasFile,
  type RecordType,
  recordTypes,
  rootSourceOf,
  sourceOf,
} from './field-source.js';
import type { FieldUse } from './field-use.js';
import { FileFetch, HEAD } from './file-fetch.js';
import { writeStepwise } from './json-writer.js';
import { type FieldPlan, type RecordPlan, recordPlan } from './record-plan.js';
import type { RootPlan } from './root-plan.js';
import { type CompositeType, compileValueCompletion, type ValueCompletion } from './value-completion.js';

export interface CompiledRoot {
  /** Its name in the answer. */
  readonly key: string;
  readonly nodes: readonly FieldNode[];
  /** Its plan, or for introspection and `__typename` its JSON. */
  readonly plan: RootPlan | ((call: ExecutionContext) => string);
}

export interface CompiledOperation {
  readonly roots: readonly CompiledRoot[];
  /** Whether more than one statement for each of its root fields may have to be run. */
  readonly hasMore: boolean;
}

/** Each takes as much as the operation itself. */
const KEPT_VARIANTS = 4;

export class Operation {
  readonly node: OperationDefinitionNode;
  readonly #schema: GraphQLSchema;
  readonly #document: DocumentNode;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  /** The variables of @skip and @include. */
  readonly #deciding: readonly string[];
  readonly #variants = new TwoGenerationCache<string, CompiledOperation>(KEPT_VARIANTS);

  constructor(schema: GraphQLSchema, document: DocumentNode, node: OperationDefinitionNode) {
    this.node = node;
    this.#schema = schema;
    this.#document = document;
    this.#fragments = new Map(
      document.definitions
        .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
        .map((fragment) => [fragment.name.value, fragment]),
    );
    this.#deciding = decidingVariables(document);
  }

  /** The operation with these coerced variables. */
  compiled(variables: Readonly<Record<string, unknown>>): CompiledOperation {
    const key = this.#deciding.map((name) => (variables[name] === true ? '1' : '0')).join('');
    let variant = this.#variants.get(key);
    if (variant === undefined) {
      variant = this.#compile(variables);
      this.#variants.set(key, variant);
    }
    return variant;
  }

  #compile(variables: Readonly<Record<string, unknown>>): CompiledOperation {
    const schema = this.#schema;
    const context = { schema, fragments: this.#fragments, variables };
    const type = schema.getRootType(this.node.operation);
    invariant(type !== undefined && type !== null, 'a valid operation has a root type');
    const compilation = new Compilation(context);
    const roots = Array.from(
      collectFields(type, [this.node.selectionSet], context),
      ([key, nodes], at): CompiledRoot => {
        const [node] = nodes;
        const name = node.name.value;
        if (name === '__typename') {
          const text = JSON.stringify(type.name);
          return { key, nodes, plan: () => text };
        }
        const field = type.getFields()[name];
        const compile = field && rootSourceOf(field);
        if (field === undefined || compile === undefined) {
          return { key, nodes, plan: introspection(schema, this.#document, this.node, nodes) };
        }
        return {
          key,
          nodes,
          plan: compile(new CompiledField(compilation, type, field, nodes, `root_${at}`)),
        };
      },
    );
    const isMore = ({ plan }: CompiledRoot) => typeof plan !== 'function' && plan.several === true;
    return { roots, hasMore: compilation.hasFetches || roots.some(isMore) };
  }
}

function decidingVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    [Kind.DIRECTIVE]: ({ name, arguments: given = [] }: DirectiveNode) => {
      if (name.value !== 'skip' && name.value !== 'include') return;
      for (const { value } of given) if (value.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

// `__schema` and `__type`, which the library answers.

/** The types of all arguments that introspection takes, those of @skip and @include among them. */
const ARGUMENT_TYPES: ReadonlySet<string> = new Set(['Boolean', 'String']);

/** The value of an introspection field as JSON. Without variables it is computed once. */
function introspection(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
  nodes: readonly FieldNode[],
): (call: ExecutionContext) => string {
  const key = (nodes[0]?.alias ?? nodes[0]?.name)?.value ?? '';
  const operation: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    variableDefinitions: variableDefinitions.filter(({ type }) => ARGUMENT_TYPES.has(nameOf(type))),
    selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
  };
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  let known: string | undefined;
  return ({ variables }) => {
    if (known !== undefined) return known;
    const { data, errors = [] } = executeSync({
      schema,
      document: { kind: Kind.DOCUMENT, definitions: [operation, ...fragments] },
      variableValues: variables,
    });
    if (errors[0] !== undefined) throw errors[0];
    const text = JSON.stringify(data?.[key] ?? null);
    if (variableDefinitions.length === 0) known = text;
    return text;
  };
}

function nameOf(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : nameOf(type.type);
}

/** Compiles the selections of one operation to plans. */
class Compilation {
  readonly #context: DocumentContext;
  #slots = 0;

  constructor(context: DocumentContext) {
    this.#context = context;
  }

  /** Whether anything has to be fetched after the statements of the root fields. */
  get hasFetches(): boolean {
    return this.#slots > 0;
  }

  /** The writer of a field's value; `owner` is the name of the type of the field's object. */
  completion(type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion {
    return compileValueCompletion(type, nodes, fieldName(owner, nodes), (composite) =>
      this.#composite(composite, nodes),
    );
  }

  /** The same if objects with fields are always written by `plan`. */
  completionBy(plan: RecordPlan, type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion {
    return compileValueCompletion(type, nodes, fieldName(owner, nodes), () => partOf(plan));
  }

  /** The selected fields of an object type below a field. */
  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields {
    return collectFields(type, selectionsBelow(nodes), this.#context);
  }

  /** The nodes of all fields called `name` below a field, whatever their aliases. */
  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[] {
    return [...this.fieldsBelow(type, nodes).values()].filter(([node]) => node?.name.value === name).flat();
  }

  /** An object, with the fields that the selections below a field request. */
  record(type: GraphQLObjectType, nodes: readonly FieldNode[]): RecordPlan {
    const names = new Set<string>();
    const plans: FieldPlan[] = [];
    let weight = 1;
    for (const [key, fieldNodes] of this.fieldsBelow(type, nodes)) {
      weight += 1;
      const name = fieldNodes[0]?.name.value ?? '';
      if (name === '__typename') {
        const text = JSON.stringify(type.name);
        plans.push({ key, write: () => text });
        continue;
      }
      const field = type.getFields()[name];
      const source = field && sourceOf(field);
      invariant(field !== undefined && source !== undefined, 'a field of a valid document has a source');
      if (source.kind === 'column') names.add(source.column);
      const plan = this.#field(source, field.type, fieldNodes, type);
      weight += plan.weight ?? 0;
      plans.push({ key, ...plan });
    }
    return recordPlan(plans, names, weight);
  }

  #field(
    source: FieldSource,
    type: GraphQLOutputType,
    nodes: readonly FieldNode[],
    owner: GraphQLObjectType,
  ): Omit<FieldPlan, 'key'> & { readonly weight?: number } {
    switch (source.kind) {
      case 'column': {
        const { column, read } = source;
        const reading =
          read === undefined ? (row: ObjectValue) => row[column] : (row: ObjectValue) => read(row[column]);
        return reader(reading, this.completion(type, nodes, owner.name));
      }
      case 'derived':
        return reader(source.read, this.completion(type, nodes, owner.name));
      case 'edges':
        return this.#edges(source, nodes, owner);
      case 'file':
        return this.#ofFile(source, type, nodes, owner);
    }
  }

  #edges(source: EdgesSource, nodes: readonly FieldNode[], owner: GraphQLObjectType): Omit<FieldPlan, 'key'> {
    const slot = this.#slots++;
    const [node, ...others] = nodes;
    const field = node && owner.getFields()[node.name.value];
    invariant(field !== undefined, 'a field of a valid document exists');
    // The slot distinguishes its parameters from those of other fields.
    const reading = source.compile(
      new CompiledField(this, owner, field, [node as FieldNode, ...others], `field_${slot}`),
    );
    const fetch = new EdgeFetch(slot, nodes, reading, source);
    return {
      gather: (row, call) => fetch.gather(row, call),
      write: (row, call) => fetch.write(row, call),
      writeInSteps: (row, call) => fetch.writeInSteps(row, call),
    };
  }

  /** A field about the file that its object shows. */
  #ofFile(
    source: FileAnswerSource,
    type: GraphQLOutputType,
    nodes: readonly FieldNode[],
    owner: GraphQLObjectType,
  ): Omit<FieldPlan, 'key'> {
    const slot = this.#slots++;
    const [node] = nodes;
    const field = node && owner.getFields()[node.name.value];
    invariant(field !== undefined, 'a field of a valid document exists');
    const given = new FieldArguments(field, node as FieldNode, `field_${slot}`);
    const options = (call: ExecutionContext) => Object.assign(newObject(), given.given(call));
    const fetch = new FileFetch(slot, nodes, source.function, { weight: 1, options });
    const { write } = this.completion(type, nodes, owner.name);
    return {
      gather: ({ file }, call) => {
        if (file instanceof FileReference) fetch.request(file, call);
      },
      write: ({ file }, call) => write(file instanceof FileReference ? fetch.answerFor(file, call) : undefined, call),
    };
  }

  #composite(type: CompositeType, nodes: readonly FieldNode[]): ValueCompletion {
    const plans = new Map<GraphQLObjectType, RecordPlan>();
    const planOf = (object: GraphQLObjectType): RecordPlan => {
      let plan = plans.get(object);
      if (plan === undefined) {
        plan = this.record(object, nodes);
        plans.set(object, plan);
      }
      return plan;
    };
    const typeOfRecord = recordTypes(type);
    if (typeOfRecord !== undefined) {
      const planOfRecord = ({ object }: RecordType) => planOf(object);
      const fetch = new LinkFetch(this.#slots++, nodes, typeOfRecord, planOfRecord);
      // Records of one type are written at once where they have no lists; of others it isn't known yet.
      const isShort = isObjectType(type) && planOf(type).writeInSteps === undefined;
      return { gather: fetch.gather, write: fetch.write, ...(!isShort && { writeInSteps: fetch.writeInSteps }) };
    }
    const hasFile = fileTypes(type);
    if (isObjectType(type)) {
      return hasFile === undefined ? partOf(planOf(type)) : this.#file(planOf(type), hasFile, nodes);
    }
    const typeOf = abstractTypes(type);
    const partOfValue = (value: Value): ValueCompletion | undefined => {
      const object = typeOf(value);
      return object && partOf(planOf(object));
    };
    return {
      write: (value, call) => partOfValue(value)?.write(value, call),
      writeInSteps: (value, call) => {
        const part = partOfValue(value);
        return part && writeStepwise(part, value, call);
      },
    };
  }

  /** A file with what is known of it; nothing if it isn't there, or not to be seen. */
  #file(plan: RecordPlan, has: HasFile, nodes: readonly FieldNode[]): ValueCompletion {
    const { gather, weight } = plan;
    const fetch = new FileFetch(this.#slots++, nodes, HEAD, {
      weight,
      ...(gather && { gather: (facts, call) => (isObject(facts) ? gather(facts, call) : undefined) }),
    });
    return {
      gather: (value, call) => {
        if (value instanceof FileReference && has(value)) fetch.request(value, call);
      },
      write: (value, call) => {
        const facts = value instanceof FileReference && has(value) ? fetch.answerFor(value, call) : undefined;
        return isObject(facts) ? plan.write(facts, call) : undefined;
      },
    };
  }
}

/** An object that is part of what it stands on. */
function partOf({ gather, write, writeInSteps, weight }: RecordPlan): ValueCompletion {
  return {
    weight: weight - 1,
    ...(gather && { gather: (value, call) => (isObject(value) ? gather(value, call) : undefined) }),
    write: (value, call) => (isObject(value) ? write(value, call) : undefined),
    ...(writeInSteps && {
      writeInSteps: (value, call) => (isObject(value) ? writeInSteps(value, call) : undefined),
    }),
  };
}

function reader(
  read: (parent: ObjectValue) => Value,
  { gather, write, writeInSteps, weight }: ValueCompletion,
): Omit<FieldPlan, 'key'> & { readonly weight?: number } {
  return {
    ...(weight !== undefined && { weight }),
    ...(gather && { gather: (parent, call) => gather(read(parent), call) }),
    write: (parent, call) => write(read(parent), call),
    ...(writeInSteps && { writeInSteps: (parent, call) => writeInSteps(read(parent), call) }),
  };
}

function fieldName(owner: string, [node]: readonly FieldNode[]): string {
  return `${owner}.${node?.name.value}`;
}

// A field of an operation while it is compiled: a `FieldUse` over the compiler of its selections.

/** The compiler of the selections of the operation that contains a field. */
interface SelectionCompiler {
  completion(type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion;
  completionBy(plan: RecordPlan, type: GraphQLOutputType, nodes: readonly FieldNode[], owner: string): ValueCompletion;
  record(type: GraphQLObjectType, nodes: readonly FieldNode[]): RecordPlan;
  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields;
  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[];
}

class CompiledField implements FieldUse {
  readonly nodes: readonly FieldNode[];
  readonly arguments: FieldArguments;
  readonly #compilation: SelectionCompiler;
  readonly #field: GraphQLField<unknown, unknown>;
  readonly #owner: string;

  /** `prefix` is that of its params. */
  constructor(
    compilation: SelectionCompiler,
    owner: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    nodes: readonly [FieldNode, ...FieldNode[]],
    prefix: string,
  ) {
    this.nodes = nodes;
    this.arguments = new FieldArguments(field, nodes[0], prefix);
    this.#compilation = compilation;
    this.#field = field;
    this.#owner = owner.name;
  }

  completion(): ValueCompletion {
    return this.#compilation.completion(this.#field.type, this.nodes, this.#owner);
  }

  completionBy(plan: RecordPlan): ValueCompletion {
    return this.#compilation.completionBy(plan, this.#field.type, this.nodes, this.#owner);
  }

  record(object: GraphQLObjectType, nodes: readonly FieldNode[] = this.nodes): RecordPlan {
    return this.#compilation.record(object, nodes);
  }

  fieldsBelow(type: GraphQLObjectType, nodes: readonly FieldNode[]): CollectedFields {
    return this.#compilation.fieldsBelow(type, nodes);
  }

  nodesBelow(type: GraphQLObjectType, nodes: readonly FieldNode[], name: string): readonly FieldNode[] {
    return this.#compilation.nodesBelow(type, nodes, name);
  }
}
