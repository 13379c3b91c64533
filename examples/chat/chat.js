/** The page: signs in over HTTP, and everything else is GraphQL over one WebSocket. */
import { createClient } from 'graphql-ws';

const SERVER = import.meta.env?.VITE_SERVER ?? 'http://127.0.0.1:8000';
const room = decodeURIComponent(location.hash.slice(1)) || 'Lobby';

const MESSAGE = 'id text sent author { name }';
const EARLIER = `query ($room: String!) {
  message(filter: { room: { eq: $room } }, order: { desc: sent }, limit: 100) { ${MESSAGE} }
}`;
const CHANGES = `subscription ($room: String!) {
  message(filter: { room: { eq: $room } }) { action id record { ${MESSAGE} } }
}`;
const SEND = 'mutation ($room: String!, $text: String!) { createMessage(data: { room: $room, text: $text }) { id } }';
const REMOVE = 'mutation ($id: ID!) { deleteMessage(id: $id) { id } }';

const WHY = {
  invalid_auth: 'Name or password are wrong.',
  signup_conflict: 'This name is taken.',
  signup_invalid: 'A password has eight characters or more, and is none that many others use.',
};

const [enter, write] = document.forms;
const main = document.querySelector('main');
const list = document.querySelector('ol');
const status = document.querySelector('[role=status]');

enter.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { name, password } = Object.fromEntries(new FormData(enter));
  const answer = await fetch(`${SERVER}/${event.submitter.value}`, {
    method: 'POST',
    headers: { accept: 'application/json' },
    body: JSON.stringify({ NS: 'example', DB: 'chat', AC: 'account', name, password }),
  }).catch(() => undefined);
  const { token, error } = (await answer?.json()) ?? { error: 'unreachable' };
  if (token === undefined) {
    enter.querySelector('[role=alert]').textContent = WHY[error] ?? 'This didn’t work. Try again in a moment.';
    return;
  }
  enter.hidden = true;
  main.hidden = false;
  main.querySelector('h1').textContent = room;
  chat(token, name);
});

function chat(token, name) {
  const client = createClient({
    url: `${SERVER.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { 'svc-ns': 'example', 'svc-db': 'chat', Authorization: `Bearer ${token}` },
    // Tries again for as long as the page is open.
    retryAttempts: Number.POSITIVE_INFINITY,
    shouldRetry: () => true,
    lazy: false,
  });
  client.on('connected', () => {
    status.textContent = '';
    void read();
  });
  client.on('closed', () => (status.textContent = 'No connection'));

  /** The messages of a connection: first what changes, so that none is missed, then those before. */
  async function read() {
    const changes = client.iterate({ query: CHANGES, variables: { room } });
    const { data } = await ask(EARLIER, { room });
    list.replaceChildren();
    for (const message of data.message.reverse()) show(message);
    for await (const { data } of changes) {
      const { action, id, record } = data.message;
      if (action === 'DELETE') document.getElementById(id)?.remove();
      else show(record);
    }
  }

  const ask = async (query, variables) => (await client.iterate({ query, variables }).next()).value;

  function show({ id, text, sent, author }) {
    if (document.getElementById(id) !== null) return;
    const item = document.createElement('li');
    item.id = id;
    const isOwn = author.name === name;
    item.className = isOwn ? 'own' : '';
    const time = new Date(sent).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
    item.append(element('small', `${author.name}, ${time}`), element('p', text));
    if (isOwn) {
      const remove = element('button', '×');
      remove.ariaLabel = `Remove ${text}`;
      remove.addEventListener('click', () => void ask(REMOVE, { id }));
      item.append(remove);
    }
    list.append(item);
    item.scrollIntoView({ block: 'end' });
  }

  write.addEventListener('submit', async (event) => {
    event.preventDefault();
    const { text } = Object.fromEntries(new FormData(write));
    write.reset();
    const { errors } = await ask(SEND, { room, text });
    status.textContent = errors?.[0].message ?? '';
  });
}

function element(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}
