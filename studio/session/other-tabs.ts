/**
 * A new tab is signed in as another one is: it asks the tabs of its origin, and one that is signed in answers with its
 * token. Nothing is stored on the way. A tab that is signed out never answers.
 */
import { enter, type SignedIn, session } from './session.js';

type Message = { readonly kind: 'ask' } | { readonly kind: 'answer'; readonly session: SignedIn };

/** Milliseconds within which an answer counts. */
const PATIENCE = 1000;

/** Answers other tabs, and asks them if this one is new and nobody is signed in on it. */
export function shareSignIn(): void {
  const channel = new BroadcastChannel('tessera:sign-in');
  const send = (message: Message) => channel.postMessage(message);
  const isAsking = session.value === undefined && isNewTab();
  channel.onmessage = ({ data, origin, timeStamp }: MessageEvent<Message>) => {
    // Browsers keep channels of other origins apart; this says so once more.
    if (origin !== location.origin) return;
    const current = session.value;
    if (data.kind === 'ask' && current?.token !== undefined) send({ kind: 'answer', session: current });
    if (data.kind === 'answer' && current === undefined && isAsking && timeStamp < asked + PATIENCE) {
      enter(data.session);
    }
  };
  const asked = performance.now();
  if (isAsking) send({ kind: 'ask' });
}

/** Rather than one that is loaded again, such as after signing out. */
function isNewTab(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'navigate';
}
