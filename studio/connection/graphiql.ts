/** Whether the server has GraphiQL's page: it has none where GraphQL is switched off. */

let answer: Promise<boolean> | undefined;

/** Asked once, since it stays as it is until the server ends. */
export function hasGraphiql(): Promise<boolean> {
  answer ??= fetch('/graphql', { headers: { accept: 'text/html' }, credentials: 'omit' }).then(
    ({ ok }) => ok,
    () => false,
  );
  return answer;
}
