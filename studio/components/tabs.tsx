/** Tabs: the arrow keys move between them, and one panel is shown at a time. */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface Properties<Tab extends string> {
  /** What the tabs choose between. */
  readonly label: string;
  /** The title of each tab. */
  readonly tabs: Readonly<Record<Tab, string>>;
  readonly chosen: Tab;
  onChoose(tab: Tab): void;
  /** The panel of the tab that is chosen. */
  readonly children: ComponentChildren;
}

export function Tabs<Tab extends string>({ label, tabs, chosen, onChoose, children }: Properties<Tab>) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const names = Object.keys(tabs) as Tab[];
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (names.indexOf(chosen) + step + names.length) % names.length;
    onChoose(names[next] as Tab);
    (list.current?.children[next] as HTMLElement | undefined)?.focus();
  };
  return (
    <div class="tabs">
      <div ref={list} role="tablist" aria-label={label}>
        {names.map((name) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => onChoose(name)}
            onKeyDown={move}
          >
            {tabs[name]}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </div>
  );
}
