/**
 * The OpenAPI documents and docs pages of a service: built at their first request or by `ready()`,
 * and cached as bytes. The code that builds them is loaded on first use.
 */
import { randomUUID } from 'node:crypto'
import type { AccessRequest } from '../auth/permission.js'
import { type Cache, cacheKinds } from '../cache.js'
import { checkOptions, invalidOption } from '../options/check.js'
import type { Kinds } from '../options/kinds.js'
import type { DescribedVersion, ServiceDescription } from '../plan/description.js'
import { type DocsPages, docsPagesKind } from '../plan/docs-pages.js'
import { type OpenApiOptions, openApiKinds } from '../plan/document-options.js'
import type { OperationDescription } from '../plan/operation.js'
import type { Route, RouteTable } from '../plan/routes.js'
import { isYaml } from '../plan/served-document.js'
import { bodyTag } from '../representation/tags.js'
import { DocsFiles, docsFileName, type WrittenFile } from './docs-files.js'
import type { Service } from './service.js'
import type { Parsed } from './stages.js'

/** How a service describes itself at `/{version}/openapi`. */
export interface DescribeOptions extends OpenApiOptions {
  /**
   * Serves the document without authentication. Default false: it requires the version's
   * authentication.
   */
  readonly public?: boolean
  /** Shows each caller only the operations that its permission allows. Default false. */
  readonly reduced?: boolean
  /**
   * Docs pages at `/{version}/docs`: the result of `docsPages()` of
   * `express-rest-conventions/docs`. Default: none.
   */
  readonly pages?: DocsPages
}

export const describeKinds: Kinds<DescribeOptions> = {
  ...openApiKinds,
  public: 'boolean',
  reduced: 'boolean',
  pages: docsPagesKind,
}

/** A document as bytes. */
interface Written {
  readonly bytes: Buffer
  /** Its strong entity tag. */
  readonly tag: string
}

/**
 * Placeholder for the address of the request in a draft. It is random, so no text of a team
 * contains it.
 */
const unknownRoot = `root:${randomUUID()}`

/** The documents of one service. */
export class Documents {
  /** Whether they are served without authentication. */
  readonly public: boolean
  /** The docs pages, if any. */
  readonly pages: DocsPages | undefined
  readonly #description: ServiceDescription
  readonly #options: OpenApiOptions
  readonly #reduced: boolean
  /** Whether documents contain the address of the request. */
  readonly #hasRoot: boolean
  /** The address in drafts. */
  readonly #draftRoot: string
  readonly #kept: Cache<string, Written>
  /**
   * Documents that are being built. Concurrent requests share one build; a failed build is not
   * cached.
   */
  readonly #making = new Map<string, Promise<Written>>()
  readonly #subjects: Cache<string, object>
  readonly #files: DocsFiles | undefined

  /**
   * The kinds of the options are already checked. Throws `ConfigurationError` if they contradict
   * each other.
   */
  constructor(
    description: ServiceDescription,
    options: DescribeOptions,
    { caches, facts }: Pick<Service, 'caches' | 'facts'>,
  ) {
    const {
      public: open = false,
      reduced = false,
      pages,
      ...rest
    } = checkOptions<DescribeOptions>('describe of api()', options, describeKinds)
    if (open && reduced)
      throw invalidOption(
        'describe of api() is both public and reduced, but a public document has no caller whose permissions could reduce it. Leave one out.',
      )
    this.public = open
    this.#description = description
    this.#options = rest
    this.#reduced = reduced
    // The description may be that of another service with another address: a mock describes the
    // service that it stands in for.
    this.#draftRoot = facts.root ?? unknownRoot
    this.#hasRoot = facts.root === undefined && (rest.servers === undefined || facts.login)
    // A document of any size is cached: building it takes longer than anything else here.
    this.#kept = caches.make('documents', { sizeOf: ({ bytes }) => Math.min(bytes.length, cacheKinds.documents.bound) })
    this.#subjects = caches.make('docs-subjects')
    this.pages = pages
    this.#files = pages === undefined ? undefined : new DocsFiles(pages, description.facts.problemBase, caches)
  }

  /**
   * Builds and caches the document of each version. Rejects with `ConfigurationError` if a version
   * can't be described.
   */
  async ready(): Promise<void> {
    for (const [version, entry] of this.#description.versions)
      if (entry !== 'retired') await this.#draft(version, undefined)
  }

  /** The document that a request is for. */
  async of(exchange: Parsed): Promise<Written> {
    const { version, root, representation } = exchange
    const allowed = await this.#allowedTo(exchange)
    const yaml = isYaml(representation.mediaType)
    const draft = (): Promise<Written> => this.#draft(version.name, allowed)
    if (!yaml && !this.#hasRoot) return draft()
    return this.#once(this.#keyOf(version.name, allowed, yaml, this.#hasRoot ? root : ''), async () =>
      finished(await draft(), root, yaml),
    )
  }

  /**
   * The page or asset that a request is for. Throws the `unknown-path` problem if there is none.
   */
  async file(exchange: Parsed): Promise<WrittenFile> {
    const { version, root, path } = exchange
    if (this.#files === undefined) throw new Error('A docs page was requested, but the service has none.')
    // Assets are the same for every caller, so permission is not checked.
    const allowed = this.#files.isAsset(path) ? undefined : await this.#allowedTo(exchange)
    const key = this.#keyOf(version.name, allowed)
    const next = this.#successorOf(version)
    // Only the upgrade guide needs the caller's permissions in the successor version.
    const isAbout = next !== undefined && /^upgrade(?:~|$)/.test(docsFileName(path))
    const allowedNext = isAbout ? await this.#allowedTo(exchange, next.table) : undefined
    const nextKey = next === undefined ? '' : this.#keyOf(next.name, allowedNext)
    return this.#files.of({
      path,
      key: `${key} ${nextKey}`,
      server: this.#serverOf(version.name, root),
      document: () => this.#subject(key, version.name, allowed),
      version: version.name,
      successor: next && { name: next.name, document: () => this.#subject(nextKey, next.name, allowedNext) },
    })
  }

  /** The successor of a version, if it is still served. */
  #successorOf({ life }: DescribedVersion): DescribedVersion | undefined {
    const found = life?.successor === undefined ? undefined : this.#description.versions.get(life.successor)
    if (found === undefined || found === 'retired') return undefined
    const { retireAtSunset = false, sunset = Number.POSITIVE_INFINITY } = found.life ?? {}
    return retireAtSunset && sunset <= Date.now() ? undefined : found
  }

  /**
   * The parsed document behind the pages: one object for all addresses at which the service is
   * reached.
   */
  async #subject(key: string, version: string, allowed: ReadonlySet<string> | undefined): Promise<object> {
    const known = this.#subjects.get(key)
    if (known !== undefined) return known
    const { bytes } = await this.#draft(version, allowed)
    // The address of the service, relative to the version.
    const subject: object = JSON.parse(bytes.toString().replaceAll(unknownRoot, '..'))
    this.#subjects.set(key, subject)
    return subject
  }

  /**
   * The server address in the pages: the first of the option `servers`, which may be relative to
   * the request's address.
   */
  #serverOf(version: string, root: string): string {
    const own = `${root}/${version}`
    const given = this.#options.servers?.[0]?.url
    return (given === undefined || !URL.canParse(given, own) ? own : new URL(given, own).href).replace(/\/+$/, '')
  }

  /**
   * Identifies a document: a draft, or one response format of it. The key changes when a part of
   * the version retires, and with announced brownouts.
   */
  #keyOf(version: string, allowed: ReadonlySet<string> | undefined, ...format: readonly unknown[]): string {
    const described = this.#description.versions.get(version)
    const { table, life } = described === undefined || described === 'retired' ? {} : described
    const now = Date.now()
    const state = [table?.parts?.ended(now), life?.brownouts?.announced(now)]
    return JSON.stringify([version, state, allowed === undefined ? undefined : [...allowed], ...format])
  }

  async #allowedTo(
    exchange: Parsed,
    table: RouteTable = exchange.version.table,
  ): Promise<ReadonlySet<string> | undefined> {
    return this.#reduced && exchange.permission !== undefined ? allowedTo(exchange, table) : undefined
  }

  /**
   * The document in JSON with a placeholder for the request's address, built once for all
   * addresses.
   */
  #draft(version: string, allowed: ReadonlySet<string> | undefined): Promise<Written> {
    const wanted =
      allowed === undefined
        ? undefined
        : (route: Route, operation: OperationDescription) =>
            accessRequests(route, operation).every((request) => allowed.has(textOf(request)))
    return this.#once(this.#keyOf(version, allowed), async () => {
      const { describe } = await import('../openapi/openapi.js')
      const bytes = Buffer.from(
        JSON.stringify(describe(this.#description, version, this.#options, { root: this.#draftRoot, wanted })),
      )
      return { bytes, tag: bodyTag(bytes) }
    })
  }

  /** Returns the cached value of a key, or the one being built, or builds it. */
  async #once(key: string, make: () => Promise<Written>): Promise<Written> {
    const known = this.#kept.get(key) ?? this.#making.get(key)
    if (known !== undefined) return known
    const making = make().finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    making.then(
      (made) => this.#kept.set(key, made),
      // The callers that await `making` handle its rejection.
      () => {},
    )
    return making
  }
}

/**
 * Replaces the placeholder in a draft by the request's address, and converts it to YAML if
 * requested.
 */
async function finished(draft: Written, root: string, yaml: boolean): Promise<Written> {
  const json = draft.bytes.toString().replaceAll(unknownRoot, () => JSON.stringify(root).slice(1, -1))
  const text = yaml ? (await import('yaml')).stringify(JSON.parse(json), { aliasDuplicateObjects: false }) : json
  const whole = Buffer.from(text)
  return { bytes: whole, tag: bodyTag(whole) }
}

/** The permissions that an operation needs, regardless of the item. */
function accessRequests({ resource, endpoint }: Route, { actions }: OperationDescription): readonly AccessRequest[] {
  const name = resource?.plan.collection ?? endpoint?.name
  return name === undefined ? [] : actions.map((action) => ({ action, resource: name }))
}

/** The text of an access request: `list pieces`. Equal requests have equal texts. */
const textOf = ({ action, resource }: AccessRequest): string => `${action} ${resource}`

/** The texts of the requests that the permission allows. Each is decided once, in sequence. */
async function allowedTo(exchange: Parsed, table: RouteTable): Promise<ReadonlySet<string>> {
  const requests = table.routes.flatMap((route) =>
    [...route.operations.values()].flatMap((operation) => accessRequests(route, operation)),
  )
  const allowed = new Set<string>()
  for (const [text, { action, resource }] of new Map(requests.map((request) => [textOf(request), request]))) {
    if ((await exchange.decide(action, resource)) === 'allow') allowed.add(text)
  }
  return allowed
}
