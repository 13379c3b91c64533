/**
 * The common parts of the fields of Mutation that write records: each is one statement, and with its nested writes
 * one transaction.
 */
import { type GraphQLFieldConfigArgumentMap, GraphQLList, GraphQLNonNull } from 'graphql';
import { failure, type TesseraError } from '../../errors/error.js';
import type { Expression, Option, Output, Statement } from '../../language/ast.js';
import { isArray } from '../../value/value.js';
import { lengthOf } from '../collection-fields/collection-field.js';
import type { Conditions, Params } from '../execution/conditions.js';
import type { ExecutionContext } from '../execution/execution-context.js';
import type { GivenArguments, WrittenArguments } from '../execution/field-arguments.js';
import { fromRoot } from '../execution/field-source.js';
import type { FieldUse } from '../execution/field-use.js';
import { blockOf, NestedWrites, subquery } from '../execution/nested-writes.js';
import type { RootPlan } from '../execution/root-plan.js';
import { type BoundStatement, columns, columnsBefore } from '../execution/select.js';
import type { TableType } from '../schema/table-type.js';
import type { RootConfig } from './root-config.js';

/** The inputs of a statement. */
export interface WriteContext {
  readonly given: GivenArguments;
  readonly written: WrittenArguments;
  readonly conditions: Conditions;
  readonly params: Params;
  /** The nested writes. */
  readonly writing: NestedWrites;
  /** The projection of each returned record. */
  readonly output: Returning;
}

export type Returning = Extract<Output, { kind: 'project' }>;

/** A statement that gives a list of records. */
export interface Write {
  readonly statement: Statement;
  /** Maximum number of records. Default: unlimited. */
  readonly most?: number;
  /** There may be nothing for it to write to. */
  readonly mayMiss?: true;
}

export interface WriteFieldOptions {
  readonly description: string;
  readonly args: GraphQLFieldConfigArgumentMap;
  /** Whether the field gives a list, rather than one record. */
  readonly isList: boolean;
  /** Which state of the record is given back. */
  readonly shows: 'before' | 'after';
  /** @throws TesseraError for wrong arguments */
  readonly build: (materials: WriteContext) => Write;
}

const OUTPUTS = { before: columnsBefore, after: columns } as const;

/** Nested records are created together or not at all, so that denied writes are errors. */
const STRICTLY: Option = { kind: 'option', name: 'STRICT_PERMISSIONS', value: true };

export function writeField(type: TableType, options: WriteFieldOptions): RootConfig {
  const { description, args, isList } = options;
  return {
    type: isList ? new GraphQLList(new GraphQLNonNull(type.object)) : type.object,
    description,
    args,
    extensions: fromRoot((field) => compile(field, type, options)),
  };
}

function compile(field: FieldUse, { object }: TableType, { isList, shows, build }: WriteFieldOptions): RootPlan {
  const plan = field.record(object);
  const output: Returning = { kind: 'project', projections: OUTPUTS[shows](plan.columns) };
  return {
    completion: field.completionBy(plan),
    begin: (call) => {
      const bound = boundWrite(field, plan.weight, call, output, build);
      return {
        kind: 'statements',
        statements: bound.isNested ? [STRICTLY, bound.statement] : [bound.statement],
        values: bound.values,
        most: bound.most * plan.weight,
        result: (values, { reads }) => {
          const rows = values.at(-1);
          reads.spend(lengthOf(rows) * plan.weight);
          return isList || !isArray(rows) ? rows : rows[0];
        },
        redactError: (error) => REFUSALS[error.message]?.(bound, call) ?? error,
      };
    },
  };
}

interface BoundWrite extends BoundStatement<Statement> {
  /** Maximum number of returned records. */
  readonly most: number;
  readonly isNested: boolean;
}

function boundWrite(
  field: FieldUse,
  weight: number,
  call: ExecutionContext,
  output: Returning,
  build: WriteFieldOptions['build'],
): BoundWrite {
  const allowed = Math.min(call.allowance.limits.rows, Math.floor(call.reads.left / weight));
  return field.arguments.boundAnew<Statement, BoundWrite>(call, (given, conditions) => {
    const { params } = conditions;
    const writing = new NestedWrites(call.random);
    const written = field.arguments.written(call);
    const write = build({ given, written, conditions, params, writing, output });
    // A mutation whose result exceeds the answer writes nothing.
    const { most = allowed } = write;
    if (most > allowed) throw tooMany(allowed, call);
    const checks: Statement[] = [];
    if (write.most === undefined) checks.push(throwIf('>', params.bind(most), TOO_MANY));
    if (write.mayMiss && !writing.isEmpty) checks.push(throwIf('=', { kind: 'literal', value: 0 }, UNCHANGED));
    return {
      statement: assemble(write.statement, writing, params, checks),
      values: params.values,
      most,
      isNested: !writing.isEmpty,
    };
  });
}

const WRITTEN = { kind: 'param', name: 'written' } as const;

function assemble(
  statement: Statement,
  writing: NestedWrites,
  params: Params,
  checks: readonly Statement[],
): Statement {
  if (writing.isEmpty && checks.length === 0) return statement;
  return blockOf([
    ...writing.records(params),
    { kind: 'let', name: WRITTEN.name, value: subquery(statement) },
    ...checks,
    ...writing.edges(params),
    { kind: 'expression', expression: WRITTEN },
  ]);
}

// ─── Errors of a block about its writes ───

const TOO_MANY = 'tessera:graphql:too-many';
const UNCHANGED = 'tessera:graphql:unchanged';

/** Ends the transaction, by how many records were written. */
function throwIf(operator: '>' | '=', count: Expression, text: string): Statement {
  const written: Expression = { kind: 'call', path: 'array::len', args: [WRITTEN] };
  const then = subquery({ kind: 'throw', value: { kind: 'literal', value: text } });
  const condition: Expression = { kind: 'binary', operator, left: written, right: count };
  return { kind: 'expression', expression: { kind: 'if', branches: [{ condition, then }] } };
}

/** By the texts of the errors that end the transaction. */
const REFUSALS: Readonly<Record<string, (bound: BoundWrite, call: ExecutionContext) => TesseraError>> = {
  [failure('thrown', { text: TOO_MANY }).message]: ({ most }, call) => tooMany(most, call),
  [failure('thrown', { text: UNCHANGED }).message]: () => failure('graphql_unchanged'),
};

/** `allowed` is the lesser of two limits. */
function tooMany(allowed: number, { allowance }: ExecutionContext): TesseraError {
  return allowance.beyond(allowed === allowance.limits.rows ? 'rows' : 'values');
}
