// What is asked for over networks.
import { LIBRARY } from './graph.mjs';
import { PEOPLE } from './people.mjs';

/** People, each of whom a record user may see when it is himself. @type {import('../harness/contract.mjs').Dataset} */
export const VISITED = {
  ...PEOPLE,
  name: 'people over networks',
  most: 1_000,
  surrealql: `
    DEFINE TABLE OVERWRITE person SCHEMALESS PERMISSIONS FOR select WHERE id = $auth.id;
    DEFINE ACCESS account ON DATABASE TYPE RECORD SIGNIN (SELECT * FROM ONLY person:7)`,
};

/** Books and their authors, with what GraphQL makes its types of. @type {import('../harness/contract.mjs').Dataset} */
export const LISTED = {
  ...LIBRARY,
  name: 'library over networks',
  surrealql: `
    DEFINE FIELD OVERWRITE name ON author TYPE string;
    DEFINE FIELD OVERWRITE title ON book TYPE string;
    DEFINE FIELD OVERWRITE pages ON book TYPE int;
    DEFINE FIELD OVERWRITE author ON book TYPE record<author>;
    DEFINE CONFIG GRAPHQL AUTO`,
};
