/**
 * The outbox of a database: mails that wait to be sent, and what became of earlier ones. A mail is queued by the
 * transaction that has a reason for it, so that both are there or neither. Its text is deleted when it was sent or
 * given up; what is left is kept until the mail's expiry.
 *
 * A waiting mail holds one of `MOST_WAITING` slots. Counting the others instead would make all transactions that queue
 * mails conflict with each other.
 */
import { invariant } from '../../base/invariant.js';
import { andThen, type PromiseOrValue } from '../../base/promise-or-value.js';
import type { Environment } from '../../env/environment.js';
import { failure } from '../../errors/error.js';
import type { Stored, Transaction } from '../../storage/contract.js';
import { datetimeNanoseconds, toDatetime } from '../../value/time/datetime.js';
import { type Datetime, newObject, type ObjectValue, type Value } from '../../value/value.js';
import { findConfig } from '../definitions/lookup.js';
import { rowOf } from '../definitions/stored-definition.js';
import { entriesOf } from '../entries.js';
import { type Id, idBytes } from '../keys/key-bytes.js';
import { databaseOfMails, MAIL_DATABASES_RANGE, mailDatabaseKey, mailPrefix, mailSlotKey } from '../keys/store-keys.js';
import { mailAddress } from './address.js';
import { mailRouteOf, type SmtpRoute } from './mail-route.js';

export type MailKind = 'code' | 'invitation' | 'notice';

export interface OutgoingMail {
  /** An address as `mailAddress` gives it. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** The access method that it is about. */
  readonly access?: string | undefined;
  readonly kind: MailKind;
  readonly code?: string | undefined;
  readonly link?: string | undefined;
  /** When it is of no use, in nanoseconds since 1970. */
  readonly expires: bigint;
}

/** The database whose mail it is. One that is removed and defined again has another id. */
export interface MailDatabase {
  readonly id: Id;
  readonly namespace: string;
  readonly name: string;
}

export interface WaitingMail extends OutgoingMail {
  readonly id: string;
  readonly database: MailDatabase;
  readonly slot: number;
  readonly created: bigint;
  /** When the next try begins. */
  readonly due: bigint;
  /** How many tries have begun. */
  readonly tries: number;
  /** How many tries have begun to hand over the text and have no known end: the mail may have arrived so often. */
  readonly unknown: number;
  /** Why the last try failed. */
  readonly reason?: string | undefined;
}

/** A mail that was sent or given up. */
export interface DoneMail extends Pick<WaitingMail, 'id' | 'to' | 'access' | 'kind' | 'created' | 'expires' | 'tries'> {
  readonly state: 'sent' | 'failed' | 'expired';
  readonly at: bigint;
  readonly reason?: string | undefined;
}

/** Mails of a database that may wait at once. */
export const MOST_WAITING = 10_000;
/** Slots that are looked at beside the first one: with nine of ten slots taken, one in thirty times none is free. */
const FURTHER_SLOTS = 31;
/** Bytes of an id; in text, two hexadecimal digits each. */
const ID_LENGTH = 16;
/** Characters of the texts of a mail. */
const LONGEST_MAIL = 64 * 1024;

/**
 * Queues a mail, to be sent once the transaction is committed; `Outbox.queue` wakes the sender then.
 * @throws TesseraError `mail_unavailable` if too many wait
 */
export async function queueMail(
  transaction: Transaction,
  database: MailDatabase,
  mail: OutgoingMail,
  { clock, random }: Pick<Environment, 'clock' | 'random'>,
): Promise<void> {
  invariant(mailAddress(mail.to) === mail.to, 'recipients of mails are addresses that were checked');
  const length = mail.subject.length + mail.text.length + mail.html.length + (mail.link?.length ?? 0);
  if (length > LONGEST_MAIL) throw failure('mail_unavailable', { reason: 'the mail is too long' });
  const slot = await freeSlot(transaction, database.id, random);
  if (slot === undefined) throw failure('mail_unavailable', { reason: 'too many mails wait to be sent' });
  const now = clock.now();
  const id = Buffer.from(random.bytes(ID_LENGTH)).toString('hex');
  transaction.put(mailSlotKey(database.id, slot), id);
  putWaiting(transaction, { ...mail, id, database, slot, created: now, due: now, tries: 0, unknown: 0 });
  // Listed once: most commits don't write outside their database.
  const listed = await transaction.get(mailDatabaseKey(database.id));
  if (listed === undefined) transaction.put(mailDatabaseKey(database.id), true);
}

/** Looked for at random, so that transactions that queue at once rarely meet. */
async function freeSlot(
  transaction: Transaction,
  database: Id,
  random: Environment['random'],
): Promise<number | undefined> {
  const draw = () => Buffer.from(random.bytes(4)).readUInt32BE() % MOST_WAITING;
  const first = draw();
  const taken = await transaction.get(mailSlotKey(database, first));
  if (taken === undefined) return first;
  const further = Array.from({ length: FURTHER_SLOTS }, draw);
  const others = await transaction.getMany(further.map((slot) => mailSlotKey(database, slot)));
  return further.find((_, index) => others[index] === undefined);
}

/** The databases in which mails were ever queued. They stay listed as long as they exist. */
export function databasesWithMails(transaction: Transaction): PromiseOrValue<Id[]> {
  return andThen(entriesOf(transaction, MAIL_DATABASES_RANGE), (rows) => rows.map(([key]) => databaseOfMails(key)));
}

function waitingKey({ database, due, id }: Pick<WaitingMail, 'database' | 'due' | 'id'>): string {
  return mailPrefix(database.id, 'waiting') + timeBytes(due) + id;
}

/** The keys of mails that are due before a time lie before this one. */
export function dueUntil(database: Id, time: bigint): string {
  return mailPrefix(database, 'waiting') + timeBytes(time);
}

/** The keys of mails that are forgotten before a time lie before this one. */
export function forgottenUntil(database: Id, time: bigint): string {
  return mailPrefix(database, 'done') + timeBytes(time);
}

function timeBytes(time: bigint): string {
  return idBytes(Number(time >> 32n)) + idBytes(Number(time & 0xffff_ffffn));
}

function putWaiting(transaction: Transaction, mail: WaitingMail): void {
  const { created, due, expires, database, ...rest } = mail;
  const times = { created: toDatetime(created), due: toDatetime(due), expires: toDatetime(expires) };
  const { id, namespace, name } = database;
  transaction.put(waitingKey(mail), row({ ...rest, ...times, database: row({ id, namespace, name }) }));
}

/** A waiting mail as it is now; `undefined` if it was sent, given up or changed meanwhile. */
export async function findWaiting(transaction: Transaction, mail: WaitingMail): Promise<WaitingMail | undefined> {
  const stored = await transaction.get(waitingKey(mail));
  return stored === undefined ? undefined : readWaitingMail(stored);
}

/** Puts a waiting mail in the place of its former state. */
export function replaceWaiting(transaction: Transaction, before: WaitingMail, after: WaitingMail): void {
  if (after.due !== before.due) transaction.delete(waitingKey(before));
  putWaiting(transaction, after);
}

/** Ends a mail: its text is deleted, and its slot is free. */
export function finishMail(
  transaction: Transaction,
  mail: WaitingMail,
  outcome: Pick<DoneMail, 'state' | 'at' | 'reason'>,
): void {
  const { id, to, access, kind, created, expires, tries, database, slot } = mail;
  transaction.delete(waitingKey(mail));
  transaction.delete(mailSlotKey(database.id, slot));
  const times = { created: toDatetime(created), expires: toDatetime(expires), at: toDatetime(outcome.at) };
  const { state, reason } = outcome;
  const key = mailPrefix(database.id, 'done') + timeBytes(expires) + id;
  transaction.put(key, row({ id, to, access, kind, tries, state, reason, ...times }));
}

/** Decodes the row of a waiting mail. */
export function readWaitingMail(stored: Stored): WaitingMail {
  const mail = rowOf(stored);
  return {
    ...(mail as unknown as Omit<WaitingMail, 'created' | 'due' | 'expires'>),
    created: timeIn(mail, 'created'),
    due: timeIn(mail, 'due'),
    expires: timeIn(mail, 'expires'),
  };
}

/** Decodes the row of a mail that is done. */
export function readDoneMail(stored: Stored): DoneMail {
  const mail = rowOf(stored);
  return {
    ...(mail as unknown as Omit<DoneMail, 'created' | 'expires' | 'at'>),
    created: timeIn(mail, 'created'),
    expires: timeIn(mail, 'expires'),
    at: timeIn(mail, 'at'),
  };
}

function timeIn(mail: ObjectValue, member: string): bigint {
  return datetimeNanoseconds(mail[member] as Datetime);
}

/** An object without the members that are `undefined`. */
function row(members: object): ObjectValue {
  const object = newObject();
  for (const [name, value] of Object.entries(members)) if (value !== undefined) object[name] = value as Value;
  return object;
}

/** Where mails are queued: by sign-ins and statements. */
export class Outbox {
  readonly #environment: Pick<Environment, 'clock' | 'random'>;
  readonly #ofServer: SmtpRoute | undefined;
  readonly #committed: (database: Id) => void;

  /**
   * @param ofServer how the server sends mails of databases that don't say how
   * @param committed wakes the sender of a database's mails
   */
  constructor(
    environment: Pick<Environment, 'clock' | 'random'>,
    ofServer: SmtpRoute | undefined,
    committed: (database: Id) => void,
  ) {
    this.#environment = environment;
    this.#ofServer = ofServer;
    this.#committed = committed;
  }

  /**
   * Queues a mail of a database, and wakes the sender when the transaction is committed.
   * @throws TesseraError `mail_unavailable` if nothing says how mail is sent, or too many mails wait
   */
  async queue(transaction: Transaction, database: MailDatabase, mail: OutgoingMail): Promise<void> {
    await this.assertUsable(transaction, database.id);
    await queueMail(transaction, database, mail, this.#environment);
    transaction.afterCommit(() => this.#committed(database.id));
  }

  /**
   * Checks that there is a way for mails of a database.
   * @throws TesseraError `mail_unavailable`
   */
  async assertUsable(transaction: Transaction, database: Id): Promise<void> {
    const config = await findConfig(transaction, database, 'mail');
    if (mailRouteOf(config, this.#ofServer) === undefined)
      throw failure('mail_unavailable', { reason: 'neither DEFINE CONFIG MAIL nor --mail-url says how' });
  }
}
