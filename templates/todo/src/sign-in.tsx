/** The form to sign in and up, which says at the right field what is wrong. */
import { type FormEvent, useState } from 'react';
import { SessionError, useSession } from 'tesseradb/react';

const MESSAGES: Record<string, string> = {
  invalid_auth: 'Address or password are wrong.',
  signup_conflict: 'There is an account with this address. Sign in instead.',
  unreachable: 'The server can’t be reached. Try again in a moment.',
};
const INVALID: Record<string, string> = {
  email: 'This is not a mail address.',
  password: 'A password has eight characters or more, and is none that many others use.',
};

const messageOf = ({ code, field = '', message }: SessionError) =>
  MESSAGES[code] ?? (code === 'signup_invalid' ? INVALID[field] : undefined) ?? message;

export function SignIn() {
  const { error, signIn, signUp } = useSession();
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const variables = Object.fromEntries(new FormData(event.currentTarget));
    setBusy(true);
    try {
      await (submitter?.id === 'sign-up' ? signUp : signIn)(variables);
    } catch (error) {
      // Of the session's errors, the last is shown below.
      if (!(error instanceof SessionError)) throw error;
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="sign-in" onSubmit={enter}>
      <h1>Tasks</h1>
      <label>
        Mail address
        <input name="email" type="email" autoComplete="username" required />
      </label>
      <label>
        Password
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      {error && <p role="alert">{messageOf(error)}</p>}
      <button type="submit" disabled={isBusy}>
        Sign in
      </button>
      <button type="submit" id="sign-up" disabled={isBusy}>
        Sign up
      </button>
    </form>
  );
}
