/** What an expression stands in: the row, the variables, and what is collected about the whole text. */
import type { Expression, Statement } from '../language/ast.js';
import type { Type } from '../value/type.js';
import type { RecordTypes } from './record-types.js';
import type { Schema } from './schema.js';
import { ANY, alternativesOf, isAnyType, unionOf } from './types.js';

/** The rest of the inference, which its parts reach through this. */
export interface Inferrer {
  /** `wanted`: the type that the place asks for, from which those of parameters follow. */
  expression(expression: Expression, scope: TypeScope, wanted?: Type): Type;
  statement(statement: Statement, scope: TypeScope): Type;
}

/** Something that the schema doesn't have, at a node of the tree. */
export interface SchemaFault {
  readonly message: string;
  readonly at: object;
}

/** What is collected about one text. */
export class Inference {
  readonly faults: SchemaFault[] = [];
  /** The parameters that the text doesn't set itself. */
  readonly parameters = new Map<string, Type>();
  /** What was returned so far, of which blocks take their share. */
  readonly returns: Type[] = [];
  /** Names of functions whose results are being inferred. */
  readonly calling = new Set<string>();

  constructor(
    readonly schema: Schema,
    readonly records: RecordTypes,
    readonly inferrer: Inferrer,
  ) {}

  /** Where nothing is known but the schema. */
  scope(): TypeScope {
    return new TypeScope(this);
  }

  fault(message: string, at: object): void {
    if (!this.faults.some((fault) => fault.at === at)) this.faults.push({ message, at });
  }

  /** A parameter of the text is used where something is wanted. All its uses together say what it is. */
  use(name: string, wanted: Type = ANY): Type {
    const known = this.parameters.get(name);
    const type = known === undefined ? wanted : both(known, wanted);
    this.parameters.set(name, type);
    return type;
  }
}

/** What is of both types; the first if nothing is. */
function both(known: Type, wanted: Type): Type {
  if (isAnyType(known)) return wanted;
  if (isAnyType(wanted)) return known;
  // What is compared with NONE may be left out.
  if (known.kind === 'none' || wanted.kind === 'none') return unionOf([known, wanted]);
  const common = alternativesOf(known).filter((type) => isAmong(type, wanted));
  const others = alternativesOf(wanted).filter((type) => isAmong(type, known));
  return common.length + others.length === 0 ? known : unionOf([...common, ...others]);
}

function isAmong(type: Type, others: Type): boolean {
  return alternativesOf(others).some((other) => {
    const joined = unionOf([type, other]);
    return joined.kind === other.kind && joined.kind !== 'union';
  });
}

export class TypeScope {
  private readonly variables = new Map<string, Type>();

  constructor(
    readonly inference: Inference,
    /** The row, if there is one. */
    readonly row?: Type,
    private readonly outer?: TypeScope,
    /** Whether the row is a group: aggregate functions take the rows of the scope around it. */
    readonly rows?: TypeScope,
  ) {}

  type(expression: Expression, wanted?: Type): Type {
    return this.inference.inferrer.expression(expression, this, wanted);
  }

  statement(statement: Statement): Type {
    return this.inference.inferrer.statement(statement, this);
  }

  variable(name: string): Type | undefined {
    return this.variables.get(name) ?? this.outer?.variable(name);
  }

  set(name: string, type: Type): void {
    this.variables.set(name, type);
  }

  /** The scope of a block, whose variables end with it. */
  block(): TypeScope {
    return new TypeScope(this.inference, this.row, this, this.rows);
  }

  /** The scope of a row. */
  within(row: Type): TypeScope {
    const inner = new TypeScope(this.inference, row, this);
    inner.set('this', row);
    if (this.row !== undefined) inner.set('parent', this.row);
    return inner;
  }

  /** The scope of a group of the rows of this one. */
  grouped(keys: Type): TypeScope {
    return new TypeScope(this.inference, keys, this, this);
  }
}
