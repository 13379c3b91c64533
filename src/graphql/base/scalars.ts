/**
 * The scalars. `Int` and `Float` are ours, too: GraphQL's own `Int` ends at 32 bits, the database's ints are written
 * out whatever their size.
 */
import { GraphQLBoolean, GraphQLID, GraphQLScalarType, GraphQLString, Kind, type ValueNode } from 'graphql';
import { failure } from '../../errors/error.js';
import { toDecimal, toGeometry, toInt } from '../../value/coerce.js';
import { parseDecimal } from '../../value/decimal.js';
import { parseInteger, toNumber } from '../../value/number.js';
import { toText } from '../../value/text/text.js';
import { parseDatetime } from '../../value/time/datetime.js';
import { parseDuration } from '../../value/time/duration.js';
import { parseUuid } from '../../value/uuid.js';
import {
  Datetime,
  Duration,
  float,
  Geometry,
  isNumber,
  isObject,
  newObject,
  Uuid,
  type Value,
} from '../../value/value.js';
import { namedInError } from './errors.js';

interface ScalarRow {
  readonly description: string;
  /** The address of a specification of its values. Absent for the scalars that GraphQL itself specifies. */
  readonly specifiedBy?: string;
  /** The output for a stored value; NONE if the value isn't of this type. */
  output(value: Value): Value;
  /** The value of an argument; NONE if it isn't of this type. */
  input(value: Value): Value;
}

const ROWS = {
  Int: { description: 'An integer of up to 64 bits.', output: toInt, input: exactInt },
  Float: {
    description: 'A 64-bit floating point number.',
    output: (value) => (isNumber(value) ? toNumber(value) : undefined),
    input: (value) => (isNumber(value) ? float(toNumber(value)) : undefined),
  },
  number: {
    description: 'An int, float or decimal, as a number of JSON; a decimal as text.',
    specifiedBy: rfc(8259, 'section-6'),
    output: (value) => (isNumber(value) ? value : undefined),
    input: (value) => (isNumber(value) ? value : undefined),
  },
  decimal: {
    description: 'An exact decimal number of at most 28 places, as text: "9.50". A number is taken, too.',
    specifiedBy: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
    output: toDecimal,
    input: (value) => (typeof value === 'string' ? parseDecimal(value, true) : toDecimal(value)),
  },
  datetime: {
    description: 'An instant to the nanosecond, as text: "2030-01-31T12:00:00Z".',
    specifiedBy: rfc(3339, 'section-5.6'),
    ...instance(Datetime, parseDatetime),
  },
  duration: {
    description: 'A span of time to the nanosecond, as text: "1h30m", in the units ns, µs, ms, s, m, h, d, w and y.',
    specifiedBy: 'https://surrealdb.com/docs/surrealql/datamodel/durations',
    ...instance(Duration, parseDuration),
  },
  uuid: {
    description: 'A UUID, as text: "018f4f3a-5c1e-7000-8000-0123456789ab".',
    specifiedBy: rfc(9562, 'section-4'),
    ...instance(Uuid, parseUuid),
  },
  bytes: {
    description: 'Bytes, as base64 text. The alphabet for URLs is taken, too.',
    specifiedBy: rfc(4648, 'section-4'),
    ...instance(Uint8Array, bytesFromBase64),
  },
  geometry: {
    description: 'A geometry, as an object of GeoJSON.',
    specifiedBy: rfc(7946, 'section-3.1'),
    output: (value) => (value instanceof Geometry ? value : undefined),
    input: toGeometry,
  },
  object: {
    description: 'An object whose fields are not defined, as JSON; in it other types are as their scalars.',
    specifiedBy: rfc(8259, 'section-4'),
    output: (value) => (isObject(value) ? value : undefined),
    input: (value) => (isObject(value) ? value : undefined),
  },
  any: {
    description: 'A value of any type, as JSON; other types than those of JSON are as their scalars.',
    specifiedBy: rfc(8259, 'section-3'),
    output: (value) => value,
    input: (value) => value,
  },
} as const satisfies Readonly<Record<string, ScalarRow>>;

const BEYOND_INT = 2 ** 63;

/** An int. A float that no int equals would be taken for another number. */
function exactInt(value: Value): Value {
  const isFloat = typeof value !== 'bigint' && isNumber(value);
  if (isFloat && Math.abs(toNumber(value)) >= BEYOND_INT) return undefined;
  return toInt(value);
}

type ScalarName = keyof typeof ROWS;

export const SCALARS = {
  ...(Object.fromEntries(Object.entries(ROWS).map(([name, row]) => [name, scalar(name, row)])) as Readonly<
    Record<ScalarName, GraphQLScalarType>
  >),
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  ID: GraphQLID,
} as const;

function rfc(number: number, section: string): string {
  return `https://www.rfc-editor.org/rfc/rfc${number}#${section}`;
}

function scalar(name: string, { description, specifiedBy, output, input }: ScalarRow): GraphQLScalarType {
  const read = (value: Value): Value => {
    const result = input(value);
    if (result === undefined) throw failure('graphql_value', { type: name, value: namedInError(toText(value)) });
    return result;
  };
  return new GraphQLScalarType({
    name,
    description,
    ...(specifiedBy !== undefined && { specifiedByURL: specifiedBy }),
    serialize: (value) => {
      const result = output(value as Value);
      if (result === undefined)
        throw failure('graphql_value', { type: name, value: namedInError(toText(value as Value)) });
      return result;
    },
    parseValue: (value) => read(value as Value),
    parseLiteral: (node, variables) => read(literalValue(node, variables ?? {})),
  });
}

function instance<T extends Value>(type: abstract new (...args: never[]) => T, parse: (text: string) => T | undefined) {
  return {
    output: (value: Value) => (value instanceof type ? value : undefined),
    input: (value: Value) => (typeof value === 'string' ? parse(value) : value instanceof type ? value : undefined),
  };
}

function bytesFromBase64(text: string): Uint8Array | undefined {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? new Uint8Array(Buffer.from(text, 'base64')) : undefined;
}

/** The value of a literal of an untyped scalar. The document's nesting is bounded. */
function literalValue(node: ValueNode, variables: Readonly<Record<string, unknown>>): Value {
  switch (node.kind) {
    case Kind.VARIABLE:
      return variables[node.name.value] as Value;
    case Kind.INT:
      return parseInteger(node.value) ?? float(Number(node.value));
    case Kind.FLOAT:
      return float(Number(node.value));
    case Kind.STRING:
    case Kind.ENUM:
    case Kind.BOOLEAN:
      return node.value;
    case Kind.NULL:
      return null;
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables));
    case Kind.OBJECT: {
      const object = newObject();
      for (const { name, value } of node.fields) object[name.value] = literalValue(value, variables);
      return object;
    }
  }
}
