/** The views to choose from. */
import { hrefOf, route } from '../base/route.js';
import { FIRST_VIEW, VIEWS } from './views.js';

export function Navigation() {
  const shown = route.value.view || FIRST_VIEW;
  return (
    <nav aria-label="Views">
      {Object.entries(VIEWS).map(([name, { title }]) => (
        <a key={name} href={hrefOf(name)} aria-current={name === shown ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
