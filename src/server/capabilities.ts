/**
 * Evaluates `--allow-…` and `--deny-…`: specific names take precedence over general rules, and denying over allowing.
 */
import type { NetworkTarget } from '../functions/network/targets.js';
import type { EXPERIMENTS } from './settings/access.js';

type Names<T> = 'all' | readonly T[];
type Experiment = (typeof EXPERIMENTS)[number];

/** The settings concerned. */
export interface CapabilitySettings {
  readonly allowAll: boolean;
  readonly denyAll: boolean;
  readonly allowGuests: boolean;
  readonly denyGuests: boolean;
  readonly allowScripting: boolean;
  readonly denyScripting: boolean;
  /** `undefined` if not given. */
  readonly allowFuncs: Names<string> | undefined;
  readonly denyFuncs: Names<string>;
  readonly allowNet: Names<NetworkTarget> | undefined;
  readonly denyNet: Names<NetworkTarget>;
  readonly allowExperimental: Names<Experiment>;
  readonly denyExperimental: Names<Experiment>;
}

export interface CapabilityConfiguration {
  readonly allowGuests: boolean;
  readonly allowScripting: boolean;
  readonly allowFuncs: Names<string>;
  readonly allowNet: Names<NetworkTarget>;
  readonly allowExperimental: readonly Experiment[];
}

/** Combines the settings. `graphql`: enabled by its own variable. */
export function settleCapabilities(given: CapabilitySettings, graphql: boolean): CapabilityConfiguration {
  const all = given.allowAll && !given.denyAll;
  return {
    allowGuests: !given.denyGuests && (given.allowGuests || all),
    allowScripting: !given.denyScripting && (given.allowScripting || all),
    allowFuncs: given.allowFuncs ?? (given.denyAll ? [] : 'all'),
    allowNet: given.allowNet ?? (all ? 'all' : []),
    allowExperimental: experiments(given, graphql),
  };
}

/** Allowing everything doesn't enable experimental features. */
function experiments({ allowExperimental, denyExperimental }: CapabilitySettings, graphql: boolean): Experiment[] {
  const allowed = new Set<Experiment>(allowExperimental === 'all' || graphql ? ['graphql'] : []);
  if (allowExperimental !== 'all') for (const name of allowExperimental) allowed.add(name);
  const denied = denyExperimental === 'all' ? [...allowed] : denyExperimental;
  for (const name of denied) allowed.delete(name);
  return [...allowed];
}
