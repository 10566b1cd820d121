/**
 * The documents that a service serves of itself: built at their first request, or by `ready()`, and
 * kept as bytes. What builds them is loaded then: nobody pays for it who does not use it.
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
  /** Whether anybody may read the document. Default false: it stands behind the version's authentication. */
  readonly public?: boolean
  /** Whether a caller sees those operations alone that the permission lets it use. Default false. */
  readonly reduced?: boolean
  /** Pages for people at `/{version}/docs`: what `docsPages()` of `express-rest-conventions/docs` made. Default: none. */
  readonly pages?: DocsPages
}

export const describeKinds: Kinds<DescribeOptions> = { ...openApiKinds, public: 'boolean', reduced: 'boolean', pages: docsPagesKind }

/** A document as bytes. */
interface Written {
  readonly bytes: Buffer
  /** Its strong entity tag. */
  readonly tag: string
}

/** Stands for the address of the request in a draft: no text of a team holds it. */
const unknownRoot = `root:${randomUUID()}`

/** The documents of one service. */
export class Documents {
  /** Whether they are served without authentication. */
  readonly public: boolean
  /** The pages for people, where there are some. */
  readonly pages: DocsPages | undefined
  readonly #description: ServiceDescription
  readonly #options: OpenApiOptions
  readonly #reduced: boolean
  /** Whether the address of the request stands in documents. */
  readonly #hasRoot: boolean
  /** The address in drafts. */
  readonly #draftRoot: string
  readonly #kept: Cache<string, Written>
  /** What is being made: requests for one document wait for one making, and one that fails is not kept. */
  readonly #making = new Map<string, Promise<Written>>()
  readonly #subjects: Cache<string, object>
  readonly #files: DocsFiles | undefined

  /** The options are of their kinds. Throws `ConfigurationError` where they contradict each other. */
  constructor(description: ServiceDescription, options: DescribeOptions, { caches, facts }: Pick<Service, 'caches' | 'facts'>) {
    const {
      public: open = false,
      reduced = false,
      pages,
      ...rest
    } = checkOptions<DescribeOptions>('describe of api()', options, describeKinds)
    if (open && reduced)
      throw invalidOption('describe of api() is public and reduced to what the caller may do: nobody says who that is. Leave one out.')
    this.public = open
    this.#description = description
    this.#options = rest
    this.#reduced = reduced
    // What is described may be another service with another address: a mock describes what it stands for.
    this.#draftRoot = facts.root ?? unknownRoot
    this.#hasRoot = facts.root === undefined && (rest.servers === undefined || facts.login)
    // One document is kept however large it is: making it takes longer than anything else here.
    this.#kept = caches.make('documents', { sizeOf: ({ bytes }) => Math.min(bytes.length, cacheKinds.documents.bound) })
    this.#subjects = caches.make('docs-subjects')
    this.pages = pages
    this.#files = pages === undefined ? undefined : new DocsFiles(pages, description.facts.problemBase, caches)
  }

  /** Builds the document of each version, and keeps it for requests. Rejects with `ConfigurationError` where a version can't be described. */
  async ready(): Promise<void> {
    for (const [version, entry] of this.#description.versions) if (entry !== 'retired') await this.#draft(version, undefined)
  }

  /** The document that a request asks for. */
  async of(exchange: Parsed): Promise<Written> {
    const { version, root, representation } = exchange
    const allowed = await this.#allowedTo(exchange)
    const yaml = isYaml(representation.mediaType)
    const draft = (): Promise<Written> => this.#draft(version.name, allowed)
    if (!yaml && !this.#hasRoot) return draft()
    return this.#once(this.#keyOf(version.name, allowed, yaml, this.#hasRoot ? root : ''), async () => finished(await draft(), root, yaml))
  }

  /** The page or the asset that a request asks for. Throws the `unknown-path` problem where there is none. */
  async file(exchange: Parsed): Promise<WrittenFile> {
    const { version, root, path } = exchange
    if (this.#files === undefined) throw new Error('A page of the docs is asked for, and the service has none.')
    // An asset is the same for everybody: nobody need be asked.
    const allowed = this.#files.isAsset(path) ? undefined : await this.#allowedTo(exchange)
    const key = this.#keyOf(version.name, allowed)
    const next = this.#successorOf(version)
    // What the caller may do in another version is asked for the one page that tells of it.
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

  /** The version that the clients of one go to, where it is served. */
  #successorOf({ life }: DescribedVersion): DescribedVersion | undefined {
    const found = life?.successor === undefined ? undefined : this.#description.versions.get(life.successor)
    if (found === undefined || found === 'retired') return undefined
    const { retireAtSunset = false, sunset = Number.POSITIVE_INFINITY } = found.life ?? {}
    return retireAtSunset && sunset <= Date.now() ? undefined : found
  }

  /** What pages are made of: one object for all addresses that the service is called by. */
  async #subject(key: string, version: string, allowed: ReadonlySet<string> | undefined): Promise<object> {
    const known = this.#subjects.get(key)
    if (known !== undefined) return known
    const { bytes } = await this.#draft(version, allowed)
    // The address of the service, as it is seen from the version.
    const subject: object = JSON.parse(bytes.toString().replaceAll(unknownRoot, '..'))
    this.#subjects.set(key, subject)
    return subject
  }

  /** The address that clients are told: the first of the option `servers`, which may be relative to that of the request. */
  #serverOf(version: string, root: string): string {
    const own = `${root}/${version}`
    const given = this.#options.servers?.[0]?.url
    return (given === undefined || !URL.canParse(given, own) ? own : new URL(given, own).href).replace(/\/+$/, '')
  }

  /** A text of its own for each document: of a draft, or of what a request asks for. It changes when a part of the version retires, and with the times at which it is switched off. */
  #keyOf(version: string, allowed: ReadonlySet<string> | undefined, ...format: readonly unknown[]): string {
    const described = this.#description.versions.get(version)
    const { table, life } = described === undefined || described === 'retired' ? {} : described
    const now = Date.now()
    const state = [table?.parts?.ended(now), life?.brownouts?.announced(now)]
    return JSON.stringify([version, state, allowed === undefined ? undefined : [...allowed], ...format])
  }

  async #allowedTo(exchange: Parsed, table: RouteTable = exchange.version.table): Promise<ReadonlySet<string> | undefined> {
    return this.#reduced && exchange.permission !== undefined ? allowedTo(exchange, table) : undefined
  }

  /** The document in JSON but for the address of the request, made once for all addresses that the service is called by. */
  #draft(version: string, allowed: ReadonlySet<string> | undefined): Promise<Written> {
    const wanted =
      allowed === undefined
        ? undefined
        : (route: Route, operation: OperationDescription) =>
            accessRequests(route, operation).every((request) => allowed.has(textOf(request)))
    return this.#once(this.#keyOf(version, allowed), async () => {
      const { describe } = await import('../openapi/openapi.js')
      const bytes = Buffer.from(JSON.stringify(describe(this.#description, version, this.#options, { root: this.#draftRoot, wanted })))
      return { bytes, tag: bodyTag(bytes) }
    })
  }

  /** What was kept under a key, or is being made, or is made now. */
  async #once(key: string, make: () => Promise<Written>): Promise<Written> {
    const known = this.#kept.get(key) ?? this.#making.get(key)
    if (known !== undefined) return known
    const making = make().finally(() => this.#making.delete(key))
    this.#making.set(key, making)
    making.then(
      (made) => this.#kept.set(key, made),
      // Those who wait for it hear of it.
      () => {},
    )
    return making
  }
}

/** A draft with the address of the request, in the format that is asked for. */
async function finished(draft: Written, root: string, yaml: boolean): Promise<Written> {
  const json = draft.bytes.toString().replaceAll(unknownRoot, () => JSON.stringify(root).slice(1, -1))
  const text = yaml ? (await import('yaml')).stringify(JSON.parse(json), { aliasDuplicateObjects: false }) : json
  const whole = Buffer.from(text)
  return { bytes: whole, tag: bodyTag(whole) }
}

/** What the permission is asked about an operation, whatever the item. */
function accessRequests({ resource, endpoint }: Route, { actions }: OperationDescription): readonly AccessRequest[] {
  const name = resource?.plan.collection ?? endpoint?.name
  return name === undefined ? [] : actions.map((action) => ({ action, resource: name }))
}

/** Equal requests have equal texts: `list pieces`. */
const textOf = ({ action, resource }: AccessRequest): string => `${action} ${resource}`

/** The texts of the requests that the permission allows. Each is decided once, one after another. */
async function allowedTo(exchange: Parsed, table: RouteTable): Promise<ReadonlySet<string>> {
  const requests = table.routes.flatMap((route) => [...route.operations.values()].flatMap((operation) => accessRequests(route, operation)))
  const allowed = new Set<string>()
  for (const [text, { action, resource }] of new Map(requests.map((request) => [textOf(request), request]))) {
    if ((await exchange.decide(action, resource)) === 'allow') allowed.add(text)
  }
  return allowed
}
