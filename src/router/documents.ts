/**
 * The OpenAPI documents and docs pages of a service. They are built when they are first requested,
 * and cached as bytes. `ready()` builds the documents earlier. The code that builds documents is
 * loaded on first use.
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

/** The options of the OpenAPI documents at `/{version}/openapi`. */
export interface DescribeOptions extends OpenApiOptions {
  /**
   * Serves the documents without authentication. Default false: callers must authenticate, as they
   * must for other requests to the version.
   */
  readonly public?: boolean
  /**
   * Shows each caller only the operations that the option `permission` allows for that caller.
   * Default false.
   */
  readonly reduced?: boolean
  /**
   * Docs pages at `/{version}/docs`: the result of `docsPages()` from
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
  /** The strong entity tag of the document. */
  readonly tag: string
}

/**
 * A placeholder for the URL of the service. A draft, which is the cached JSON document of a
 * version, contains the placeholder if the URL can differ between requests. The placeholder is
 * random, so that no other text in the draft contains it by chance.
 */
const unknownRoot = `root:${randomUUID()}`

/** The documents of one service. */
export class Documents {
  /** Whether the documents are served without authentication. */
  readonly public: boolean
  /** The docs pages, if any. */
  readonly pages: DocsPages | undefined
  readonly #description: ServiceDescription
  readonly #options: OpenApiOptions
  readonly #reduced: boolean
  /** Whether documents contain a URL that depends on the request. */
  readonly #dependsOnRequest: boolean
  /** The URL of the service in drafts: `baseUrl`, or the placeholder. */
  readonly #draftRoot: string
  readonly #kept: Cache<string, Written>
  /**
   * The documents that are being built, by cache key. Concurrent requests share one build. A failed
   * build is not cached.
   */
  readonly #making = new Map<string, Promise<Written>>()
  readonly #subjects: Cache<string, object>
  readonly #files: DocsFiles | undefined

  /** Throws `ConfigurationError` if an option is invalid, or if options contradict each other. */
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
        'The option "describe" of api() is both public and reduced, but a public document has no caller whose ' +
          'permissions could reduce it. Remove "public" or "reduced".',
      )
    this.public = open
    this.#description = description
    this.#options = rest
    this.#reduced = reduced
    // The URL comes from `facts`, and not from `description`, because a mock server gets the
    // description of the service that it replaces. That service has another URL.
    this.#draftRoot = facts.root ?? unknownRoot
    this.#dependsOnRequest = facts.root === undefined && (rest.servers === undefined || facts.login)
    // A cache does not store values that are larger than its bound. A document must always be
    // stored, because building it takes long. So the size given here never exceeds the bound.
    this.#kept = caches.make('documents', { sizeOf: ({ bytes }) => Math.min(bytes.length, cacheKinds.documents.bound) })
    this.#subjects = caches.make('docs-subjects')
    this.pages = pages
    this.#files = pages === undefined ? undefined : new DocsFiles(pages, description.facts.problemBase, caches)
  }

  /**
   * Builds and caches the document of each version that is not declared as retired. Rejects with
   * `ConfigurationError` if a version can't be described.
   */
  async ready(): Promise<void> {
    for (const [version, entry] of this.#description.versions)
      if (entry !== 'retired') await this.#draft(version, undefined)
  }

  /** Returns the requested document. */
  async of(exchange: Parsed): Promise<Written> {
    const { version, root, representation } = exchange
    const allowed = await this.#allowedTo(exchange)
    const yaml = isYaml(representation.mediaType)
    const draft = (): Promise<Written> => this.#draft(version.name, allowed)
    if (!yaml && !this.#dependsOnRequest) return draft()
    return this.#once(this.#keyOf(version.name, allowed, yaml, this.#dependsOnRequest ? root : ''), async () =>
      finished(await draft(), root, yaml),
    )
  }

  /**
   * Returns the requested page or asset. Throws the `unknown-path` problem if there is no such
   * file.
   */
  async file(exchange: Parsed): Promise<WrittenFile> {
    const { version, root, path } = exchange
    if (this.#files === undefined) throw new Error('A docs page was requested, but the service has none.')
    // Assets are the same for every caller, so no permission is checked.
    const allowed = this.#files.isAsset(path) ? undefined : await this.#allowedTo(exchange)
    const key = this.#keyOf(version.name, allowed)
    const next = this.#successorOf(version)
    // Only the upgrade guide needs the caller's permissions in the successor version.
    const isUpgradeGuide = next !== undefined && /^upgrade(?:~|$)/.test(docsFileName(path))
    const allowedNext = isUpgradeGuide ? await this.#allowedTo(exchange, next.table) : undefined
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

  /** Returns the successor of a version, if that successor is still served. */
  #successorOf({ life }: DescribedVersion): DescribedVersion | undefined {
    const found = life?.successor === undefined ? undefined : this.#description.versions.get(life.successor)
    if (found === undefined || found === 'retired') return undefined
    const { retireAtSunset = false, sunset = Number.POSITIVE_INFINITY } = found.life ?? {}
    return retireAtSunset && sunset <= Date.now() ? undefined : found
  }

  /**
   * Returns the parsed document that the pages describe. The object is the same for every URL of
   * the service.
   */
  async #subject(key: string, version: string, allowed: ReadonlySet<string> | undefined): Promise<object> {
    const known = this.#subjects.get(key)
    if (known !== undefined) return known
    const { bytes } = await this.#draft(version, allowed)
    // `..` is the URL of the service, relative to the URL of the version.
    const subject: object = JSON.parse(bytes.toString().replaceAll(unknownRoot, '..'))
    this.#subjects.set(key, subject)
    return subject
  }

  /**
   * Returns the server URL that the pages show: the first entry of the option `servers`, resolved
   * against the URL of the version. If there is no such entry, or if the entry is not a valid URL,
   * returns the URL of the version.
   */
  #serverOf(version: string, root: string): string {
    const own = `${root}/${version}`
    const given = this.#options.servers?.[0]?.url
    return (given === undefined || !URL.canParse(given, own) ? own : new URL(given, own).href).replace(/\/+$/, '')
  }

  /**
   * Returns the cache key of a draft, or of a document that is made from the draft. `format`
   * distinguishes the documents that are made from one draft. Its first element says whether the
   * document is YAML. Its second element is the URL of the service if that URL depends on the
   * request, and an empty string otherwise. For the draft itself, `format` is empty. The key
   * changes when a part of the version retires, or when the announced brownouts change.
   */
  #keyOf(version: string, allowed: ReadonlySet<string> | undefined, ...format: readonly unknown[]): string {
    const described = this.#description.versions.get(version)
    const { table, life } = described === undefined || described === 'retired' ? {} : described
    const now = Date.now()
    const state = [table?.parts?.retiredCount(now), life?.brownouts?.announced(now)]
    return JSON.stringify([version, state, allowed === undefined ? undefined : [...allowed], ...format])
  }

  async #allowedTo(
    exchange: Parsed,
    table: RouteTable = exchange.version.table,
  ): Promise<ReadonlySet<string> | undefined> {
    return this.#reduced && exchange.permission !== undefined ? allowedTo(exchange, table) : undefined
  }

  /**
   * Returns the draft, which is the document in JSON. If the URL of the service depends on the
   * request, the draft contains a placeholder for this URL. So one draft is enough for all URLs.
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

  /**
   * Returns the cached document of a key. If there is no cached document, waits for the build that
   * is in progress, or starts a build.
   */
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
 * Replaces the placeholder in a draft with the URL of the service in this request. Converts the
 * document to YAML if requested.
 */
async function finished(draft: Written, root: string, yaml: boolean): Promise<Written> {
  const json = draft.bytes.toString().replaceAll(unknownRoot, () => JSON.stringify(root).slice(1, -1))
  const text = yaml ? (await import('yaml')).stringify(JSON.parse(json), { aliasDuplicateObjects: false }) : json
  const whole = Buffer.from(text)
  return { bytes: whole, tag: bodyTag(whole) }
}

/**
 * Returns the access requests of an operation. An access request asks the permission function
 * whether an action is allowed. The requests returned here name the resource, and not an item of
 * it.
 */
function accessRequests({ resource, endpoint }: Route, { actions }: OperationDescription): readonly AccessRequest[] {
  const name = resource?.plan.collection ?? endpoint?.name
  return name === undefined ? [] : actions.map((action) => ({ action, resource: name }))
}

/**
 * Returns an access request as a string, such as `list pieces`. Equal requests give equal strings.
 */
const textOf = ({ action, resource }: AccessRequest): string => `${action} ${resource}`

/**
 * Returns the access requests that the permission function allows, as strings. Asks the permission
 * function about each different access request once, one after another.
 */
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
