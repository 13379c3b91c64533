/** GraphiQL as `GET /graphql` serves it: what it asks goes to the server that it came from, subscriptions over a WebSocket. */
import '@graphiql/react/dist/style.css';
import 'graphiql/src/style.css';
import './page.css';
import { createGraphiQLFetcher, type Fetcher, type FetcherOpts } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { parse } from 'graphql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

/** Who asks and where, for the header editor. */
const HEADERS = { 'svc-ns': '', 'svc-db': '', Authorization: '' };
const WELCOME = `# Fill in the headers below:
#
#   "svc-ns": "test", "svc-db": "test",
#   "Authorization": "Bearer <token>"
#
# Then read the schema anew: Shift-Ctrl-R.
`;

const address = new URL(location.pathname, location.origin);
const socketAddress = new URL(address);
socketAddress.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';

const ask = createGraphiQLFetcher({
  url: address.href,
  subscriptionUrl: socketAddress.href,
  headers: { accept: 'application/graphql-response+json, application/json;q=0.9' },
  enableIncrementalDelivery: false,
  // Who asks is what the header editor says, and a refusal opens no dialog of the browser's.
  fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
});

/** Headers that nobody has filled in aren't sent. They go with the connection of a subscription, too. */
const fetcher: Fetcher = (params, options) => {
  const filled = Object.entries(options?.headers ?? {}).filter(([, value]) => value !== '');
  // What the editor knows of the document lags behind its text, and a subscription would go the way of a query.
  return ask(params, { headers: Object.fromEntries(filled), ...readDocument(params.query) });
};

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

createRoot(document.body).render(
  createElement(GraphiQL, {
    fetcher,
    defaultHeaders: JSON.stringify(HEADERS, undefined, 2),
    defaultQuery: WELCOME,
    defaultEditorToolsVisibility: 'headers',
  }),
);
