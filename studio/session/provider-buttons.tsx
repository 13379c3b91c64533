/** A button for each access method by which system users sign in at an identity provider: of the server, and of the place that is typed. */
import { leaveForProvider, providerAccesses } from '../../pages/provider-sign-in.js';
import { Button } from '../components/button.js';
import { useLoaded } from '../connection/use-loaded.js';

interface Properties {
  readonly namespace: string;
  readonly database: string;
  /** Why the page couldn't leave for a provider. */
  onFailure(thrown: unknown): void;
}

export function ProviderButtons({ namespace, database, onFailure }: Properties) {
  const { data: accesses = [] } = useLoaded(() => providerAccesses(namespace, database), [namespace, database]);
  if (accesses.length === 0) return null;
  return (
    <div class="row">
      {accesses.map((access) => (
        <Button key={access.start} onClick={() => void leaveForProvider(access).catch(onFailure)}>
          Sign in with {access.AC}
        </Button>
      ))}
    </div>
  );
}
