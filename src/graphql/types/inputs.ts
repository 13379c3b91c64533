/**
 * Input types of records, and their values. `CreatePersonInput` has the fields of `person` that may be
 * written; for a link `best` it also has `best_create`, a record that is made with this one, and for edges `wrote`, a
 * list of those to be made.
 */
import {
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLNullableType,
} from 'graphql';
import { failure } from '../../errors/error.js';
import { setFrom } from '../../value/order.js';
import { isArray, newObject, type ObjectValue, type RecordId, SetValue, type Value } from '../../value/value.js';
import { SCALARS } from '../base/scalars.js';
import type { NestedWrites } from '../execution/nested-writes.js';
import { present } from '../schema/field-tree.js';
import { readFileId } from '../schema/file-type.js';
import {
  columnMember,
  type Given,
  type InputMember,
  type InputMembers,
  type InputPurpose,
  type InputReader,
  mustBeGiven,
  PURPOSES,
  type RecordDraft,
  writeAll,
} from '../schema/input-members.js';
import { isGiven } from '../schema/list-arguments.js';
import { legalName, Names } from '../schema/names.js';
import { readLink, readOwnId } from '../schema/record-names.js';
import type { EdgeField, TableType } from '../schema/table-type.js';
import { nothingOf, type Writable, type WritableField, type WritableFields } from '../schema/writable.js';
import type { TableTypes } from './table-types.js';

/** The draft of a record. */
export interface RecordData {
  /** From the input, or as the nested writes have needed it. */
  readonly id: RecordId | undefined;
  readonly data: ObjectValue;
}

export interface RecordInput {
  readonly type: GraphQLInputObjectType;
  /** Whether something has to be given. */
  isNeeded(): boolean;
  /** Reads a value of the type; nested records go to `writing`. @throws TesseraError `graphql_argument` */
  read(given: unknown, writing: NestedWrites): RecordData;
}

export interface Argument {
  readonly type: GraphQLInputType & GraphQLNullableType;
  /** Isn't given null. @throws TesseraError `graphql_argument` */
  read(given: unknown, writing: NestedWrites): Value;
}

export class Inputs {
  readonly #types: TableTypes;
  readonly #records = new Map<string, RecordInput>();
  readonly #edges = new Map<string, GraphQLInputObjectType>();
  readonly #members = new Map<string, InputMembers>();

  constructor(types: TableTypes) {
    this.#types = types;
  }

  /** The input of new records of a table. */
  of(type: TableType, purpose: Exclude<InputPurpose, 'update'>): RecordInput {
    return this.#record(type, purpose);
  }

  /** The input of changes; none where nothing could be in it. */
  ofUpdate(type: TableType): RecordInput | undefined {
    return this.#membersOf(type, 'update').size === 0 ? undefined : this.#record(type, 'update');
  }

  /** The input type of a function's argument; none if GraphQL has no form for it. */
  ofArgument(writable: Writable): Argument | undefined {
    const reader = this.#reader(writable, 'call');
    return (
      reader && {
        type: reader.type,
        read: (given, writing) => reader.read(given, { values: newObject(), writing, id: () => writing.newId('') }),
      }
    );
  }

  #record(type: TableType, purpose: InputPurpose): RecordInput {
    const key = `${purpose} ${type.table}`;
    const known = this.#records.get(key);
    if (known !== undefined) return known;
    const { isWhole, hasEdges } = PURPOSES[purpose];
    const name = this.#claim(purpose, [type.object.name]);
    let members: InputMembers | undefined;
    const all = () => {
      members ??= new Map([
        ...this.#membersOf(type, purpose),
        ...(hasEdges ? Array.from(type.edges(), ([edge, field]) => [edge, this.#edgeMember(field)] as const) : []),
      ]);
      return members;
    };
    const input: RecordInput = {
      type: new GraphQLInputObjectType({
        name,
        fields: () => ({
          ...(isWhole && { id: { type: SCALARS.ID, description: 'The key or the id; drawn at random without.' } }),
          ...Object.fromEntries(all()),
        }),
      }),
      isNeeded: () => [...this.#membersOf(type, purpose).values()].some(({ type }) => type instanceof GraphQLNonNull),
      read: (given, writing) => {
        const { id: named, ...fields } = given as Given;
        let id = isGiven(named) ? readOwnId(type, String(named)) : undefined;
        const draft = {
          values: newObject(),
          writing,
          id: () => {
            id ??= writing.newId(type.table);
            return id;
          },
        };
        writeAll(fields, all(), draft);
        return { id, data: draft.values };
      },
    };
    this.#records.set(key, input);
    return input;
  }

  /** Creates a record as part of the write; returns its id. */
  #createNested(type: TableType, given: unknown, { writing }: RecordDraft): RecordId {
    const { id = writing.newId(type.table), data } = this.#record(type, 'create').read(given, writing);
    writing.addRecord({ id, data });
    return id;
  }

  #membersOf(type: TableType, purpose: InputPurpose): InputMembers {
    const key = `${purpose} ${type.table}`;
    let members = this.#members.get(key);
    if (members === undefined) {
      const isEdge = type.entry.definition.tableKind.kind === 'relation';
      const fields = [...type.fields()].filter(([, { column }]) => column !== 'id' && !(isEdge && isEnd(column)));
      const names = new Names([...type.fields().keys(), ...type.edges().keys()]);
      members = this.#membersOfFields(new Map(fields), purpose, names);
      this.#members.set(key, members);
    }
    return members;
  }

  /** `names` are taken. */
  #membersOfFields(fields: WritableFields, purpose: InputPurpose, names: Names): InputMembers {
    const members = new Map<string, InputMember>();
    for (const [name, field] of fields) {
      const { definition, shape } = field;
      if (definition?.computed !== undefined) continue;
      if (definition?.readonly === true && !PURPOSES[purpose].isWhole) continue;
      const reader = this.#reader(shape.writable, purpose);
      if (reader === undefined) continue;
      const nested = this.#nested(name, field, purpose);
      const isNeeded = PURPOSES[purpose].isWhole && nested === undefined && mustBeGiven(field);
      members.set(name, columnMember(field, reader, isNeeded));
      if (nested !== undefined) members.set(names.claim(`${name}_create`), nested);
    }
    return members;
  }

  /** For a link, or a list of links, to records of one table: those that are made with the record. */
  #nested(
    name: string,
    { column, shape: { writable } }: WritableField,
    purpose: InputPurpose,
  ): InputMember | undefined {
    const link = writable.kind === 'list' ? writable.element : writable;
    if (link.kind !== 'link' || !PURPOSES[purpose].hasNested) return undefined;
    const [table, ...others] = link.tables;
    const target = table === undefined || others.length > 0 ? undefined : this.#types.tables.get(table);
    if (target === undefined || !isCreatable(target)) return undefined;
    const { type } = this.#record(target, 'create');
    if (writable.kind !== 'list') {
      return {
        type,
        description: `A record that is created for ${name}.`,
        write: (given, draft) => {
          if (!isGiven(given)) return;
          if (isGiven(draft.values[column])) {
            throw failure('graphql_argument', { reason: `Give either ${name} or a record to be created for it` });
          }
          draft.values[column] = this.#createNested(target, given, draft);
        },
      };
    }
    // The list of an existing record isn't known.
    if (!PURPOSES[purpose].isWhole) return undefined;
    return {
      type: new GraphQLList(new GraphQLNonNull(type)),
      description: `Records that are created and added to ${name}.`,
      write: (given, draft) => {
        if (!isGiven(given)) return;
        const before = itemsOf(draft.values[column]);
        const created = listOf(given).map((each) => this.#createNested(target, each, draft));
        draft.values[column] = writable.isSet ? setFrom([...before, ...created]) : [...before, ...created];
      },
    };
  }

  // ─── Edges ───

  #edgeMember({ type, direction }: EdgeField): InputMember {
    const { tableKind } = type.entry.definition;
    const tables = (tableKind.kind === 'relation' ? tableKind[direction === 'out' ? 'to' : 'from'] : undefined) ?? [];
    const members = this.#membersOf(type, 'create');
    const end = direction;
    const only = tables.length === 1 ? this.#types.tables.get(tables[0] as string) : undefined;
    const target = only !== undefined && isCreatable(only) ? only : undefined;
    const create = new Names(members.keys()).claim(`${end}_create`);
    return {
      type: new GraphQLList(new GraphQLNonNull(this.#edgeType(type, end, members, target && [create, target]))),
      description: `Edges of ${type.object.name} that are created with the record.`,
      write: (given, draft) => {
        if (!isGiven(given)) return;
        for (const each of listOf(given)) {
          const { [end]: named, [create]: created, id, ...fields } = each as Given;
          if (isGiven(named) === isGiven(created)) {
            throw failure('graphql_argument', { reason: `An edge needs either ${end} or ${create}` });
          }
          const values = newObject();
          if (isGiven(id)) values['id'] = readOwnId(type, String(id));
          writeAll(fields, members, { ...draft, values });
          const other =
            target !== undefined && isGiven(created)
              ? this.#createNested(target, created, draft)
              : readLink(this.#types.tables, tables, String(named));
          const self = draft.id();
          const [from, to] = direction === 'out' ? [self, other] : [other, self];
          draft.writing.addEdge({ table: type.table, from, to, data: values });
        }
      },
    };
  }

  #edgeType(
    type: TableType,
    end: 'in' | 'out',
    members: InputMembers,
    create: readonly [name: string, target: TableType] | undefined,
  ): GraphQLInputObjectType {
    const key = `${end} ${type.table}`;
    let edge = this.#edges.get(key);
    if (edge === undefined) {
      edge = new GraphQLInputObjectType({
        name: this.#claim('create', [type.object.name, end]),
        description: 'An edge to be created; one of its ends is the record that it is created with.',
        fields: () => ({
          id: { type: SCALARS.ID },
          [end]: { type: SCALARS.ID },
          ...(create && { [create[0]]: { type: this.#record(create[1], 'create').type } }),
          ...Object.fromEntries(members),
        }),
      });
      this.#edges.set(key, edge);
    }
    return edge;
  }

  // ─── Values ───

  #reader(writable: Writable, purpose: InputPurpose): InputReader | undefined {
    switch (writable.kind) {
      case 'leaf':
        return { type: writable.type, read: (given) => given as Value };
      case 'link': {
        const { tables } = writable;
        return { type: SCALARS.ID, read: (given) => readLink(this.#types.tables, tables, String(given)) };
      }
      case 'file':
        return { type: SCALARS.ID, read: (given) => readFileId(String(given)) };
      case 'list':
        return this.#listReader(writable, purpose);
      case 'object':
        return this.#objectReader(writable, purpose);
    }
  }

  #listReader({ isSet, element, type }: Writable & { kind: 'list' }, purpose: InputPurpose): InputReader | undefined {
    const item = this.#reader(element, purpose);
    if (item === undefined) return undefined;
    const nothing = nothingOf(type);
    return {
      type: new GraphQLList(present(type).nullable ? item.type : new GraphQLNonNull(item.type)),
      read: (given, draft) => {
        const items = listOf(given).map((each) => (isGiven(each) ? item.read(each, draft) : nothing));
        return isSet ? setFrom(items) : items;
      },
    };
  }

  #objectReader({ names, fields }: Writable & { kind: 'object' }, purpose: InputPurpose): InputReader | undefined {
    const members = this.#membersOfFields(fields(), purpose, new Names(fields().keys()));
    if (members.size === 0) return undefined;
    return {
      type: new GraphQLInputObjectType({ name: this.#claim(purpose, names), fields: Object.fromEntries(members) }),
      read: (given, draft) => {
        const values = newObject();
        writeAll(given as Given, members, { ...draft, values });
        return values;
      },
    };
  }

  #claim(purpose: InputPurpose, names: readonly string[]): string {
    return this.#types.claim(`${PURPOSES[purpose].prefix}${capitalized(names.map(legalName).join('_'))}Input`);
  }
}

/** `person` → `Person`, for names of inputs and mutations. */
export function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Whether records of a table can be created by themselves: not edges, nor those of a view. */
export function isCreatable({ entry }: TableType): boolean {
  const { tableKind, view } = entry.definition;
  return view === undefined && tableKind.kind !== 'relation';
}

function isEnd(column: string): boolean {
  return column === 'in' || column === 'out';
}

/** GraphQL takes a single value for a list of one, and has made it one by now. */
function listOf(given: unknown): readonly unknown[] {
  return given as readonly unknown[];
}

function itemsOf(value: Value): readonly Value[] {
  if (value instanceof SetValue) return value.items;
  return isArray(value) ? value : [];
}
