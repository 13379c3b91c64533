/**
 * GraphiQL as `GET /graphql` serves it: what it asks goes to the server that it came from, subscriptions over a WebSocket, for who signed in
 * above it. It opens once there is a database to ask.
 */
import 'graphiql/style.css';
import './page.css';
import './graphiql.css';
import { createGraphiQLFetcher, type Fetcher, type FetcherOpts } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { parse } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { encodeHeaders, headersOf } from './server.js';
import { type SignedIn, tabStorage } from './session.js';
import { SignIn } from './sign-in.js';

const WELCOME = `# Shift-Ctrl-R reads the schema anew. Headers of the editor below count before those of the sign-in.
`;

const address = new URL(location.pathname, location.origin);
const socketAddress = new URL(address);
socketAddress.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';

/** Requests of a session; headers that the user has entered take precedence. They go with the connection of a subscription, too. */
function fetcherOf(session: SignedIn): Fetcher {
  const own = headersOf(session);
  const ask = createGraphiQLFetcher({
    url: address.href,
    subscriptionUrl: socketAddress.href,
    headers: { accept: 'application/graphql-response+json, application/json;q=0.9' },
    enableIncrementalDelivery: false,
    // Who asks is what the headers say, and a refusal opens no dialog of the browser's.
    fetch: async (target, init) => {
      const headers = init?.headers as Record<string, string>;
      const response = await fetch(target, { ...init, headers: encodeHeaders(headers), credentials: 'omit' });
      const isOurs = own['Authorization'] !== undefined && own['Authorization'] === headers['Authorization'];
      if (response.status === 401 && isOurs) signIn.expire();
      return response;
    },
  });
  return (params, options) => {
    const written = Object.entries(options?.headers ?? {}).filter(([, value]) => value !== '');
    const names = new Set(written.map(([name]) => name.toLowerCase()));
    const ownLeft = Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()));
    const headers = Object.fromEntries([...ownLeft, ...written]);
    // What the editor knows of the document lags behind its text, and a subscription would go the way of a query.
    return ask(params, { headers, ...readDocument(params.query) });
  };
}

/** Nothing for what can't be read: the server says what is wrong with it. */
function readDocument(query: string): FetcherOpts {
  try {
    return { documentAST: parse(query) };
  } catch {
    return {};
  }
}

// Styles that the library adds bear the mark that the policy of the page asks for.
Reflect.set(globalThis, '__webpack_nonce__', document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce);

// The Studio says above its frame who is signed in, and where.
if (parent !== window) document.documentElement.classList.add('framed');

const root = createRoot(document.querySelector('#graphiql') as HTMLElement);

/** GraphiQL keeps queries, variables and answers with the tab as well: there are passwords among what one writes in it. */
function show(session: SignedIn | undefined): void {
  if (session === undefined || session.namespace === '' || session.database === '') {
    root.render(null);
    return;
  }
  const storage = tabStorage();
  root.render(
    createElement(GraphiQL, {
      key: JSON.stringify(session),
      fetcher: fetcherOf(session),
      defaultQuery: WELCOME,
      ...(storage !== null && { storage }),
      showPersistHeadersSettings: false,
    }),
  );
}

const signIn = new SignIn(document.querySelector('#sign-in') as HTMLElement, show);
