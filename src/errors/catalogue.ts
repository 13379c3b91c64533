/** The catalogue of errors: one section for each area, joined here so that codes are unique and typed. */
import { backupErrors } from './sections/backup.js';
import { catalogErrors } from './sections/catalog.js';
import { expressionErrors } from './sections/expression.js';
import { fileErrors } from './sections/files.js';
import { functionErrors } from './sections/functions.js';
import { graphqlErrors } from './sections/graphql.js';
import { identityErrors } from './sections/identity.js';
import { languageErrors } from './sections/language.js';
import { memoryErrors } from './sections/memory.js';
import { queryErrors } from './sections/query.js';
import { requestErrors } from './sections/request.js';
import { storageErrors } from './sections/storage.js';
import { valueErrors } from './sections/value.js';
import { vectorErrors } from './sections/vectors.js';

/** Every error that a user can meet, by its stable code. */
export const CATALOGUE = {
  ...valueErrors,
  ...languageErrors,
  ...storageErrors,
  ...backupErrors,
  ...catalogErrors,
  ...functionErrors,
  ...fileErrors,
  ...expressionErrors,
  ...queryErrors,
  ...vectorErrors,
  ...identityErrors,
  ...requestErrors,
  ...memoryErrors,
  ...graphqlErrors,
} as const;

export type ErrorCode = keyof typeof CATALOGUE;
export type DetailOf<C extends ErrorCode> = Parameters<(typeof CATALOGUE)[C]['text']>[0];
