/** Contrast beyond that of the color scheme, which the library keeps: chosen, or as the system says. */
import { keptStore } from '../base/kept.js';

export const contrast = keptStore('contrast', 'system', ['system', 'more'] as const);

const wanted = matchMedia('(prefers-contrast: more)');

function show(): void {
  const isHigh = contrast.value === 'more' || wanted.matches;
  document.documentElement.dataset['contrast'] = isHigh ? 'more' : 'normal';
}

contrast.subscribe(show);
wanted.addEventListener('change', show);
show();
