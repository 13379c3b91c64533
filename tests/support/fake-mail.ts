/** A mail transport that keeps what it is given, or fails as the test has it. */
import type { MailHandover, MailMessage, MailServer, MailTransport } from '../../src/env/mail.js';

export interface SentMail {
  readonly server: MailServer;
  readonly mail: MailMessage;
}

export interface FakeMail extends MailTransport {
  /** The mails that were taken, in order. */
  readonly taken: SentMail[];
  /** Every try, taken or not. */
  readonly tries: SentMail[];
  /** What happens with a try: by default the text is handed over, and taken. */
  answer: (delivery: MailHandover, sent: SentMail) => Promise<void>;
}

export function fakeMail(): FakeMail {
  const fake: FakeMail = {
    taken: [],
    tries: [],
    answer: ({ beforeText }) => beforeText(),
    async send(server, mail, delivery) {
      const sent = { server, mail };
      fake.tries.push(sent);
      await fake.answer(delivery, sent);
      fake.taken.push(sent);
    },
  };
  return fake;
}
