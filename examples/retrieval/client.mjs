// Statements over HTTP, for the scripts of this example.

const DATABASE = { ns: 'example', db: 'retrieval' };

/** The options that say which server it is. */
export const SERVER_OPTIONS = { endpoint: { type: 'string', default: 'http://127.0.0.1:8000' } };

/** The same, and who asks: a root user. */
export const ROOT_OPTIONS = {
  ...SERVER_OPTIONS,
  user: { type: 'string', default: 'root' },
  pass: { type: 'string', default: 'secret' },
};

/** Ends the script with a line about what is wrong. */
export function giveUp(message) {
  console.error(message);
  process.exit(2);
}

/** Signs in, and gives a function that runs statements with parameters, which are sent apart from the text. */
export async function connect(endpoint, credentials) {
  const { token } = await post(endpoint, '/signin', {}, credentials);
  let requests = 0;
  return async (text, variables = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'svc-ns': DATABASE.ns, 'svc-db': DATABASE.db };
    const body = { id: ++requests, method: 'query', params: [text, variables] };
    const { error, result } = await post(endpoint, '/rpc', headers, body);
    if (error !== undefined) throw new Error(error.message);
    const failed = result.find(({ status }) => status !== 'OK');
    if (failed !== undefined) throw new Error(failed.result);
    return result.at(-1)?.result;
  };
}

/** As a root user. */
export const asRoot = (endpoint, { user, pass }) => connect(endpoint, { user, pass });

/** As a member of a team. */
export const asMember = (endpoint, { member: name, pass }) =>
  connect(endpoint, { NS: DATABASE.ns, DB: DATABASE.db, AC: 'member', name, pass });

async function post(endpoint, path, headers, body) {
  const response = await fetch(`${endpoint}${path}`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }).catch(({ cause }) => giveUp(`No server answers at ${endpoint}: ${cause?.code ?? cause?.message}`));
  const text = await response.text();
  if (!response.ok) giveUp(`${response.status}: ${text}`);
  return JSON.parse(text);
}
