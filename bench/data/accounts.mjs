const PASSWORD = 'correct horse battery staple';

/** A user who may sign in with a password. @type {import('../harness/contract.mjs').Dataset} */
export const ACCOUNTS = {
  name: 'accounts',
  tables: {},
  surrealql: `
    DEFINE TABLE account SCHEMALESS PERMISSIONS FOR select WHERE id = $auth;
    DEFINE INDEX account_email ON account FIELDS email UNIQUE;
    DEFINE ACCESS account ON DATABASE TYPE RECORD
      SIGNIN (SELECT * FROM account WHERE email = $email AND crypto::argon2::compare(password, $password));
    CREATE account:1 SET email = 'ada@mail.example', password = crypto::argon2::generate('${PASSWORD}')`,
};

export const CREDENTIALS = { email: 'ada@mail.example', password: PASSWORD };
