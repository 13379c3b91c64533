/** Leads to what the documentation says of the view that is shown. */
import { Button } from '@mantine/core';
import { BookIcon } from '@primer/octicons-react';
import { route } from '../base/route.js';
import { useStore } from '../base/store.js';
import { manual } from './manual.js';
import { FIRST_VIEW, viewNamed } from './views.js';

export function DocsLink() {
  const { view } = useStore(route);
  const entry = viewNamed(view || FIRST_VIEW);
  const isServed = useStore(manual).length > 0;
  if (entry === undefined || !isServed) return null;
  return (
    <Button
      component="a"
      className="docs-link"
      variant="subtle"
      href={`/docs/${entry.docs}`}
      target="_blank"
      rel="noopener"
      leftSection={<BookIcon size={16} />}
    >
      Docs
    </Button>
  );
}
