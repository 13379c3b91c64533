/** The documentation of a schema: its types with their fields, and what they are for; found by their names. */
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { element } from '../element.js';

/** Names that are shown of those that were found. */
const MOST_FOUND = 100;

export class SchemaDocs {
  readonly #host: HTMLElement;
  #schema: GraphQLSchema | undefined;
  #fault = '';
  /** The types that were opened one from the other; none is the beginning. */
  #path: string[] = [];

  constructor(host: HTMLElement) {
    this.#host = host;
    this.#show();
  }

  know(schema: GraphQLSchema): void {
    this.#schema = schema;
    this.#fault = '';
    this.#path = this.#path.filter((name) => schema.getType(name) !== undefined);
    this.#show();
  }

  fail(fault: string): void {
    this.#fault = fault;
    this.#show();
  }

  open(type: string): void {
    this.#path.push(type);
    this.#show();
    this.#host.querySelector('h2')?.focus();
  }

  #back(): void {
    this.#path.pop();
    this.#show();
    this.#host.querySelector('h2')?.focus();
  }

  #show(): void {
    const schema = this.#schema;
    if (this.#fault !== '') this.#host.replaceChildren(element('p', { role: 'alert' }, this.#fault));
    else if (schema === undefined) this.#host.replaceChildren(element('p', {}, 'Reading the schema …'));
    else {
      const type = schema.getType(this.#path.at(-1) ?? '');
      this.#host.replaceChildren(...(type === undefined ? this.#beginning(schema) : this.#typePage(schema, type)));
    }
  }

  #beginning(schema: GraphQLSchema): HTMLElement[] {
    const search = element('input', { type: 'search', placeholder: 'Search types and fields' });
    search.setAttribute('aria-label', 'Search types and fields');
    const found = element('ul', {});
    const find = () => found.replaceChildren(...this.#found(schema, search.value.trim().toLowerCase()));
    search.addEventListener('input', find);
    find();
    return [heading('Schema'), search, found];
  }

  /** The operations' types while nothing is searched for. */
  #found(schema: GraphQLSchema, text: string): HTMLElement[] {
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    if (text === '') return roots.filter((type) => type != null).map((type) => this.#entry(type));
    const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    const matches = types.flatMap((type) => [
      ...(type.name.toLowerCase().includes(text) ? [this.#entry(type)] : []),
      ...fieldsOf(type)
        .filter(({ name }) => name.toLowerCase().includes(text))
        .map(({ name }) => this.#entry(type, `.${name}`)),
    ]);
    if (matches.length === 0) return [element('li', {}, 'Nothing has that in its name.')];
    return matches.slice(0, MOST_FOUND);
  }

  #entry(type: GraphQLNamedType, field = ''): HTMLElement {
    return element('li', {}, this.#link(type, `${type.name}${field}`));
  }

  #typePage(schema: GraphQLSchema, type: GraphQLNamedType): HTMLElement[] {
    const back = element('button', { type: 'button' }, `← ${this.#path.at(-2) ?? 'Schema'}`);
    back.addEventListener('click', () => this.#back());
    const related = isUnionType(type) || isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
    const interfaces = isObjectType(type) || isInterfaceType(type) ? type.getInterfaces() : [];
    return [
      back,
      heading(type.name),
      ...described(type.description),
      ...this.#list(
        'Is',
        interfaces.map((each) => [this.#link(each)]),
      ),
      ...this.#list(
        'One of',
        related.map((each) => [this.#link(each)]),
      ),
      ...this.#list(
        'Fields',
        fieldsOf(type).map((field) => this.#field(field)),
      ),
      ...this.#list(
        'Values',
        (isEnumType(type) ? type.getValues() : []).map((value) => [
          element('code', {}, value.name),
          ...described(value.description),
        ]),
      ),
    ];
  }

  #list(title: string, items: readonly (readonly (Node | string)[])[]): HTMLElement[] {
    if (items.length === 0) return [];
    return [element('h3', {}, title), element('ul', {}, ...items.map((parts) => element('li', {}, ...parts)))];
  }

  #field(field: GraphQLField<unknown, unknown> | GraphQLInputField): (Node | string)[] {
    const args = 'args' in field ? field.args : [];
    return [
      element('code', {}, field.name),
      ...(args.length === 0 ? [] : this.#args(args)),
      ': ',
      this.#typed(field.type),
      ...described(field.deprecationReason == null ? undefined : `Deprecated: ${field.deprecationReason}`),
      ...described(field.description),
    ];
  }

  #args(args: readonly GraphQLArgument[]): (Node | string)[] {
    return ['(', ...args.flatMap(({ name, type }, at) => [at === 0 ? '' : ', ', `${name}: `, this.#typed(type)]), ')'];
  }

  /** `[person!]!`, with a link to `person`. */
  #typed(type: GraphQLOutputType | GraphQLInputType): Node {
    return this.#link(getNamedType(type), String(type));
  }

  #link({ name }: GraphQLNamedType, text = name): HTMLElement {
    const button = element('button', { type: 'button', className: 'link' }, text);
    button.addEventListener('click', () => this.open(name));
    return button;
  }
}

function fieldsOf(type: GraphQLNamedType): (GraphQLField<unknown, unknown> | GraphQLInputField)[] {
  return isObjectType(type) || isInterfaceType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

function described(text: string | null | undefined): HTMLElement[] {
  return text == null || text === '' ? [] : [element('p', {}, text)];
}

/** It takes the focus when its page is opened. */
function heading(text: string): HTMLElement {
  return element('h2', { tabIndex: -1 }, text);
}
