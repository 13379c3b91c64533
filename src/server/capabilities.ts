/** What `--allow-…` and `--deny-…` come to: what is named counts more than what is general, and denying more than allowing. */
import type { Target } from '../functions/network/targets.js';
import type { EXPERIMENTS } from './settings/access.js';

type Names<T> = 'all' | readonly T[];
type Experiment = (typeof EXPERIMENTS)[number];

/** The part of the settings that is about this. */
export interface CapabilitySettings {
  readonly allowAll: boolean;
  readonly denyAll: boolean;
  readonly allowGuests: boolean;
  readonly denyGuests: boolean;
  readonly allowScripting: boolean;
  readonly denyScripting: boolean;
  /** Not given if `undefined`. */
  readonly allowFuncs: Names<string> | undefined;
  readonly denyFuncs: Names<string>;
  readonly allowNet: Names<Target> | undefined;
  readonly denyNet: Names<Target>;
  readonly allowExperimental: Names<Experiment>;
  readonly denyExperimental: Names<Experiment>;
}

export interface CapabilityConfiguration {
  readonly allowGuests: boolean;
  readonly allowScripting: boolean;
  readonly allowFuncs: Names<string>;
  readonly allowNet: Names<Target>;
  readonly allowExperimental: readonly Experiment[];
}

/** `graphql` tells that it is switched on by its own variable. */
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

/** Allowing everything doesn't allow what is experimental. */
function experiments({ allowExperimental, denyExperimental }: CapabilitySettings, graphql: boolean): Experiment[] {
  const allowed = new Set<Experiment>(allowExperimental === 'all' || graphql ? ['graphql'] : []);
  if (allowExperimental !== 'all') for (const name of allowExperimental) allowed.add(name);
  const denied = denyExperimental === 'all' ? [...allowed] : denyExperimental;
  for (const name of denied) allowed.delete(name);
  return [...allowed];
}
