/** `tessera types --access`: what the users of an access method may see and write. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { GeneratedTypes } from '../support/generated-types.js';

let types: GeneratedTypes;
beforeAll(async () => {
  types = await GeneratedTypes.start();
  await types.define(
    'rules',
    `DEFINE TABLE user SCHEMAFULL PERMISSIONS FOR select FULL FOR create, update WHERE id = $auth.id;
      DEFINE FIELD name ON user TYPE string;
      DEFINE FIELD mail ON user TYPE string PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE FIELD password ON user TYPE string PERMISSIONS FOR select NONE;
      DEFINE FIELD plan ON user TYPE string DEFAULT 'free' PERMISSIONS FOR create, update NONE;
      DEFINE FIELD notes ON user TYPE array<string> DEFAULT [] PERMISSIONS FOR select WHERE $access = 'staff';
      DEFINE FIELD seen ON user TYPE int DEFAULT 0 PERMISSIONS FOR select WHERE $auth != NONE AND $access IN ['account', 'staff'];
      DEFINE FIELD home.city ON user TYPE string PERMISSIONS FOR select WHERE id = $auth.id;
      DEFINE TABLE log SCHEMAFULL PERMISSIONS FOR create FULL;
      DEFINE FIELD text ON log TYPE string;
      DEFINE TABLE secret SCHEMAFULL;
      DEFINE TABLE report SCHEMAFULL PERMISSIONS FOR select WHERE $access = 'staff';
      DEFINE FUNCTION fn::open() { RETURN 1 }; DEFINE FUNCTION fn::closed() { RETURN 1 } PERMISSIONS NONE;
      DEFINE PARAM $open VALUE 1; DEFINE PARAM $closed VALUE 1 PERMISSIONS NONE;
      DEFINE ACCESS account ON DATABASE TYPE RECORD; DEFINE ACCESS staff ON DATABASE TYPE RECORD;`,
  );
});
afterAll(() => types.close());

it('leaves out what is always hidden, and what is hidden sometimes is optional', async () => {
  types.compile(
    await types.of('rules', '', { access: 'account' }),
    `
      import type { CreateLogInput, CreateUserInput, Functions, Inputs, Params, Tables, UpdateUserInput, User } from './types.js';
      declare const user: User;
      const name: string = user.name;
      const mail: string | undefined = user.mail;
      const seen: number = user.seen;
      const city: string | undefined = user.home?.city;
      // Wrong: another user's address is hidden
      const sure: string = user.mail;
      // Wrong: hidden from all
      void user.password;
      // Wrong: those of another access method see it
      void user.notes;
      const made: CreateUserInput = { name, password: 'x', mail: 'y', home: { city: 'Rome' } };
      // Wrong: the server alone sets it
      const cheat: UpdateUserInput = { plan: 'gold' };
      const log: CreateLogInput = { text: 'x' };
      const tables: keyof Tables = 'user';
      // Wrong: the log isn't read
      const hidden: keyof Tables = 'log';
      // Wrong: a table without permissions
      const secret: keyof Tables = 'secret';
      // Wrong: for staff
      const report: keyof Tables = 'report';
      const inputs: { create: CreateLogInput } = {} as Inputs['log'];
      // Wrong: the log is never changed
      void ({} as Inputs['log']).update;
      const functions: keyof Functions = 'fn::open';
      // Wrong: not to be called
      const closed: keyof Functions = 'fn::closed';
      const params: keyof Params = 'open';
      // Wrong: not to be read
      const param: keyof Params = 'closed';
      void [mail, seen, city, sure, made, cheat, log, tables, hidden, secret, report, inputs, functions, closed, params, param];
    `,
  );
});

it('judges $access', async () => {
  const text = await types.of('rules', '', { access: 'staff' });
  expect(text).toContain('export type Report');
  expect(text).toContain('notes: Array<string>;');
});

it('knows the access methods', async () => {
  await expect(types.of('rules', '', { access: 'guests' })).rejects.toThrow('The database has no access method guests');
});
