/** Definitions of GraphQL, of endpoints, and of what they serve. */
import type { DefinitionClauses, Name, Permission } from './definition.js';
import type { Call, Expression } from './expression.js';

export interface DefineConfig extends DefinitionClauses {
  readonly kind: 'define-config';
  readonly config: Config;
}

export const CONFIG_KINDS = ['graphql', 'api', 'default', 'mail', 'auth'] as const satisfies readonly Config['kind'][];

export type Config = GraphqlConfig | ApiConfig | DefaultConfig | MailConfig | AuthConfig;

export interface GraphqlConfig {
  readonly kind: 'graphql';
  readonly tables:
    | { readonly kind: 'auto' | 'none' }
    | { readonly kind: 'include' | 'exclude'; readonly names: readonly string[] };
  /** By their names without `fn::`. */
  readonly functions:
    | { readonly kind: 'auto' | 'none' }
    | { readonly kind: 'include' | 'exclude'; readonly names: readonly string[] };
  readonly depth?: number;
  readonly complexity?: number;
  readonly introspection?: 'auto' | 'none';
}

export interface ApiConfig extends Handling {
  readonly kind: 'api';
}

/** The middleware of an endpoint. */
export interface Handling {
  /** Calls around the endpoint, the outermost first. */
  readonly middleware: readonly Call[];
  readonly permissions: Permission;
}

export interface DefaultConfig {
  readonly kind: 'default';
  readonly namespace?: Name;
  readonly database?: Name;
}

/** How a database sends mail. DEFINE wants a sender and a delivery; ALTER may change one of them. */
export interface MailConfig {
  readonly kind: 'mail';
  /** `The Shop <no-reply@shop.example>`. */
  readonly from?: string;
  readonly delivery?: MailDelivery;
  /** The most mails that are begun in an hour. */
  readonly limit?: number;
}

export type MailDelivery =
  /** `smtps://shop@mail.example:465`, without the password. */
  | { readonly kind: 'smtp'; readonly url: string; readonly password?: string }
  /** Code that sends the mail in `$mail`. */
  | { readonly kind: 'then'; readonly action: Expression };

/** What sign-in by links and redirects knows of the app. */
export interface AuthConfig {
  readonly kind: 'auth';
  /** One of the addresses of the server (`--public-url`). */
  readonly url?: string;
  /** The only addresses that a sign-in may end at. */
  readonly redirects: readonly string[];
  /** What the app is called on pages and in mails. */
  readonly title?: string;
  /** The colour of its buttons, as `#rrggbb`. */
  readonly color?: string;
  /** Its picture, as a data URL. */
  readonly logo?: string;
  /** Whether a change of a user's ways in is mailed to the user. */
  readonly notify: boolean;
}

export const API_METHODS = ['delete', 'get', 'patch', 'post', 'put', 'trace'] as const;

export type ApiMethod = (typeof API_METHODS)[number];

export interface DefineApi extends DefinitionClauses {
  readonly kind: 'define-api';
  /** The path: a text, or an expression. */
  readonly name: Name;
  /** Around all actions. */
  readonly handling: Handling;
  /** The action of methods without one of their own. */
  readonly fallback?: Expression;
  readonly actions: readonly ApiAction[];
}

export interface ApiAction {
  readonly methods: readonly ApiMethod[];
  readonly handling: Handling;
  readonly action: Expression;
}

/** What can be done with a file of a bucket; `exists` is `head`. */
export const FILE_ACTIONS = ['put', 'get', 'head', 'list', 'delete', 'copy', 'rename'] as const;
export type FileAction = (typeof FILE_ACTIONS)[number];
export type BucketPermissions = Readonly<Record<FileAction, Permission>>;

/** A bucket of files. */
export interface DefineBucket extends DefinitionClauses {
  readonly kind: 'define-bucket';
  readonly name: Name;
  readonly readonly: boolean;
  /** Where the bytes are: `file:/folder`, `s3://bucket/prefix`, `memory`, or `database`, which is the default. */
  readonly backend?: Expression;
  /** Bytes that a file may have. */
  readonly maxSize?: number;
  /** Files that the bucket may have. */
  readonly maxCount?: number;
  /** The media types that files may have: `image/png`, `image/*`. */
  readonly types?: readonly string[];
  /** All NONE unless written; actions that a FOR list leaves out are NONE. */
  readonly permissions: BucketPermissions;
}

/** A module of compiled functions. Not supported: the statement parses, and fails when it runs. */
export interface DefineModule extends DefinitionClauses {
  readonly kind: 'define-module';
  /** Includes its first segment: `mod::a`. */
  readonly name?: string;
  readonly source: Expression;
}
