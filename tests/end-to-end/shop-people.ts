/** Who asks the music shop something over GraphQL, and what each may see. */

import { type ServerProcess, startServer } from '../support/server-process.js';
import { SHOP_HEADERS, send, tokenOf } from './clients.js';
import { type CustomerRow, credentialsOf, customers, employees, loadShop, STAFF_PASSWORD, salesOf } from './shop.js';

export const [first, second] = customers.filter((customer) => salesOf(customer).lines.length > 0) as [
  CustomerRow,
  CustomerRow,
];

/** A user, and the customers whose record and sales they see. */
interface Person {
  readonly sees: (customer: CustomerRow) => boolean;
  readonly isStaff: boolean;
  readonly signIn: (url: string) => Promise<string | undefined>;
}

const staff = (user: string | undefined): Person => ({
  sees: () => true,
  isStaff: true,
  signIn: (url) => tokenOf(url, 'signin', { NS: 'shop', DB: 'music', user: user?.toLowerCase(), pass: STAFF_PASSWORD }),
});
const customer = (me: CustomerRow): Person => ({
  sees: (other) => other === me,
  isStaff: false,
  signIn: (url) => tokenOf(url, 'signup', credentialsOf(me)),
});

export const PEOPLE = {
  'a guest': { sees: () => false, isStaff: false, signIn: async () => undefined },
  'the first customer': customer(first),
  'the second customer': customer(second),
  'a viewer': staff(employees.at(2)?.FirstName),
  'the owner': staff(employees[0]?.FirstName),
} satisfies Record<string, Person>;
export type Name = keyof typeof PEOPLE;
export const NAMES = Object.keys(PEOPLE) as Name[];

export interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

/** The shop, loaded, with all users signed in. */
export class GraphqlShop {
  private constructor(
    readonly server: ServerProcess,
    readonly headers: ReadonlyMap<Name, Readonly<Record<string, string>>>,
  ) {}

  static async open(): Promise<GraphqlShop> {
    const server = await startServer(undefined, { SVC_EXPERIMENTAL_GRAPHQL: 'true', SVC_ALLOW_GUESTS: 'true' });
    await loadShop(server.url);
    const headers = new Map<Name, Readonly<Record<string, string>>>();
    for (const name of NAMES) {
      const token = await PEOPLE[name].signIn(server.url);
      headers.set(name, { ...SHOP_HEADERS, ...(token !== undefined && { authorization: `Bearer ${token}` }) });
    }
    return new GraphqlShop(server, headers);
  }

  async answerTo(name: Name, query: string, variables: object = {}): Promise<Answer> {
    const headers = { accept: '*/*', 'content-type': 'application/json', ...this.headers.get(name) };
    const { text } = await send(`${this.server.url}/graphql`, headers, JSON.stringify({ query, variables }));
    return JSON.parse(text) as Answer;
  }

  /** The value of the first root field. @throws Error with the errors of the answer */
  async ask<T>(name: Name, query: string, variables: object = {}): Promise<T> {
    const { data, errors } = await this.answerTo(name, query, variables);
    if (errors !== undefined) throw new Error(JSON.stringify(errors));
    return Object.values(data ?? {})[0] as T;
  }
}
