/**
 * The target file. It contains the principals, and the facts about the service that the checks
 * need, including facts that an OpenAPI document does not contain.
 */
import { isList, isObject } from '../../definition/json.js'
import { checkOptions } from '../../options/check.js'
import type { Kinds } from '../../options/kinds.js'
import type { CollectionTarget, Creation, Filter, Flag, Target } from './target.js'

/**
 * A principal in a target file. The file contains the source of the token, and never the token
 * itself.
 */
export interface PrincipalSource {
  readonly name: string
  /** The environment variable with the token. */
  readonly variable?: string
  /** A command that prints the token. */
  readonly command?: string
  /** The header field that carries the token. Default `Authorization`, with `Bearer`. */
  readonly header?: string
  /**
   * The path templates of collections for which the service must respond with 403 to this
   * principal.
   */
  readonly forbidden?: readonly string[]
  /** Whether the token has expired. */
  readonly expired?: boolean
  /** Whether the principal may only read. */
  readonly readOnly?: boolean
}

/** The names of the environment variables that contain the user and the password for the login. */
export interface AccountSource {
  readonly user: string
  readonly password: string
}

export interface TargetFile extends Target {
  readonly principals?: readonly PrincipalSource[]
  readonly account?: AccountSource
}

export const creationKinds: Kinds<Creation> = {
  body: 'table',
  members: { required: { each: 'string' } },
  marker: 'string',
  idempotent: 'boolean',
  unique: { each: 'string' },
}

export const targetFilterKinds: Kinds<Filter> = {
  name: { required: 'string' },
  type: { required: { oneOf: ['string', 'integer', 'number', 'boolean', 'other'] } },
  many: { required: 'boolean' },
}

const names = { each: 'string' } as const

export const flagKinds: Kinds<Flag> = { name: { required: 'string' }, methods: { required: names } }

export const collectionKinds: Kinds<CollectionTarget> = {
  template: { required: { a: 'a path such as "/orders"', like: /^\/\S+[^/]$/ } },
  key: { each: 'string', min: 1 },
  methods: { required: names },
  itemMethods: { required: names },
  parameters: { required: names },
  filters: { required: { each: { options: targetFilterKinds } } },
  sort: names,
  expand: names,
  itemExpand: names,
  flags: { each: { options: flagKinds } },
  below: names,
  first: { required: { oneOf: [0, 1] } },
  largest: { from: 1, whole: true },
  media: { required: names },
  nullable: { required: names },
  writeOnly: { required: names },
  secured: { required: 'boolean' },
  deprecated: 'boolean',
  patches: names,
  associated: 'boolean',
  tagged: { required: 'boolean' },
  counted: { required: 'boolean' },
  create: { options: creationKinds },
}

export const variableKind = { a: 'the name of an environment variable', like: /^[A-Za-z_]\w*$/ } as const

export const principalSourceKinds: Kinds<PrincipalSource> = {
  name: { required: { a: 'a name such as "reader"', like: /^[\w-]{1,64}$/ } },
  variable: variableKind,
  command: 'string',
  header: 'string',
  forbidden: names,
  expired: 'boolean',
  readOnly: 'boolean',
}

export const accountSourceKinds: Kinds<AccountSource> = {
  user: { required: variableKind },
  password: { required: variableKind },
}

export const targetFileKinds: Kinds<TargetFile> = {
  published: 'string',
  path: { a: 'a path such as "/v1"', like: /^\/\S*[^/\s]$/ },
  collections: { required: { each: { options: collectionKinds } } },
  unlisted: { each: { options: collectionKinds } },
  login: { a: 'a path such as "/login"', like: /^\/\S+$/ },
  origin: { a: 'an origin such as "https://shop.example.com"', like: /^https?:\/\/[^/\s]+$/ },
  retired: names,
  principals: { each: { options: principalSourceKinds } },
  account: { options: accountSourceKinds },
}

/**
 * Checks and returns the content of a target file. Throws a `ConfigurationError` that names the
 * member and the allowed values.
 */
export function readTarget(value: unknown): TargetFile {
  const { retired = [], ...rest } = checkOptions<TargetFile>('the target', value, targetFileKinds)
  return { ...rest, retired }
}

/** Whether a value looks like the content of a target file. */
export const isTargetFile = (value: unknown): boolean => isObject(value) && isList(value.collections)
