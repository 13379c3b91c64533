/** GraphiQL's page in a frame. It is of the same server and tab, so that the same user is signed in there. */
export function View() {
  return <iframe class="whole" title="GraphiQL" src="/graphql" />;
}
