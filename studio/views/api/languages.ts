/** The languages of the API page, in their order. */
import { CURL } from './curl.js';
import { GRAPHQL } from './graphql.js';
import { JAVASCRIPT } from './javascript.js';
import type { Language } from './language.js';
import { PYTHON } from './python.js';
import { REACT } from './react.js';

export type LanguageName = 'javascript' | 'react' | 'python' | 'curl' | 'graphql';

export const LANGUAGES: Readonly<Record<LanguageName, Language>> = {
  javascript: JAVASCRIPT,
  react: REACT,
  python: PYTHON,
  curl: CURL,
  graphql: GRAPHQL,
};
