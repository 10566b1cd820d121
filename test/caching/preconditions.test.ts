/**
 * Sends requests with combinations of preconditions, and compares the statuses with those of a
 * model of RFC 9110 13.2.2. The model does not use the code of the library.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Served } from '../clauses/fixture.js'
import { share } from '../size.js'
import { grounds, serveOver } from './service.js'

// --- the model ---

/**
 * A value of a precondition field, and its meaning. `strong` and `weak` say whether the value
 * matches the current representation by strong and by weak comparison.
 */
interface Said {
  readonly name: string
  /**
   * Returns the values of the field lines. `tag` is the current tag. `lines` is undefined if the
   * request lacks the field.
   */
  readonly lines: ((tag: string) => string | string[]) | undefined
  readonly strong: boolean
  readonly weak: boolean
}

const said = (name: string, lines: Said['lines'], strong = false, weak = strong): Said => ({
  name,
  lines,
  strong,
  weak,
})
const version = (tag: string): string => tag.slice(1, tag.lastIndexOf('.'))

const fields: readonly Said[] = [
  said('absent', undefined),
  said('*', () => '*', true),
  said('current', (tag) => tag, true),
  said('weak', (tag) => `W/${tag}`, false, true),
  said('another', () => '"0.x"'),
  said('list', (tag) => `"0.x",${tag} ,\t"z"`, true),
  said('weak in a list', (tag) => `"0.x", W/${tag}`, false, true),
  said('two lines', (tag) => ['"0.x"', tag], true),
  said('two lines, neither current', () => ['"0.x"', '"0.y"']),
  said('* in a list', () => '"0.x", *'),
  said('two stars', () => ['*', '*']),
  said('quoted star', () => '"*"'),
  said('empty', () => ''),
  said('commas', () => ', ,,'),
  said('no quotes', (tag) => tag.slice(1, -1)),
  said('version without quotes', (tag) => version(tag)),
  said('no closing quote', (tag) => tag.slice(0, -1)),
  said('small w', (tag) => `w/${tag}`),
  said('space after W/', (tag) => `W/ ${tag}`),
  said('after invalid text', (tag) => `x y, ${tag}`, true),
  said('two tags without a comma', (tag) => `${tag}${tag}`),
]

interface Kind {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** The status of the response if the request has no preconditions. */
  readonly plain: number
  /** The path at which the current tag can be read. Default: the path itself. */
  readonly tagOf?: string
  /** False if the URL has no representation before the request. */
  readonly there?: false
  /** True for writes of a single record, for which `If-Match` can be required. */
  readonly updates?: true
  /** Requests that create the state that the case needs. */
  readonly before?: readonly (readonly [method: string, path: string, body?: unknown])[]
}

/**
 * Returns the expected status. It follows the steps of RFC 9110 13.2.1 and 13.2.2 in order, with
 * the additions of HDR-3 and HDR-4.
 */
function model(
  { method, plain, there, updates }: Kind,
  ifMatch: Said,
  ifNoneMatch: Said,
  options: { required: boolean; weakToo: boolean },
): number {
  // 13.2.1: preconditions have no effect if the response without them would not be 2xx. OPTIONS
  // selects no representation, so preconditions do not apply to it. POST creates a record, so its
  // preconditions are not compared with the tag of the list (HDR-4).
  if (plain < 200 || plain > 299 || method === 'POST' || method === 'OPTIONS') return plain
  if (updates && options.required && ifMatch.lines === undefined) return 428
  const holds = options.weakToo ? ifMatch.weak : ifMatch.strong
  if (ifMatch.lines !== undefined && !holds) return 412
  if (ifNoneMatch.lines !== undefined && ifNoneMatch.weak && there !== false)
    return method === 'GET' || method === 'HEAD' ? 304 : 412
  return plain
}

// --- the kinds of requests ---

const item = '/v1/contratos/T'
const setUp: Kind['before'] = [
  ['DELETE', item],
  ['POST', '/v1/contratos', { codigo: 'T', descripcion: 't', activo: true, cliente: { id: 1 } }],
]
const part = '/v1/contratos/C1/lineas/codigo=C1,linea=7'
const setUpPart: Kind['before'] = [
  ['DELETE', part],
  ['POST', '/v1/contratos/C1/lineas', { codigo: 'C1', linea: 7 }],
]
const member = '/v1/clientes/1/contratos/T'
const flag = `${item}/activo`

const reads = (name: string, path: string, get: number, head: number, before?: Kind['before']): Kind[] => [
  { name, method: 'GET', path, plain: get, ...(before === undefined ? {} : { before }) },
  { name, method: 'HEAD', path, plain: head, ...(before === undefined ? {} : { before }) },
]

const kinds: readonly Kind[] = [
  ...reads('item', item, 200, 302, setUp),
  { name: 'item', method: 'PUT', path: item, body: { descripcion: 'p' }, plain: 200, updates: true, before: setUp },
  { name: 'item', method: 'PATCH', path: item, body: { descripcion: 'q' }, plain: 200, updates: true, before: setUp },
  { name: 'item', method: 'DELETE', path: item, plain: 204, updates: true, before: setUp },
  ...reads('expanded item', `${item}?expand=cliente`, 200, 302, setUp),
  ...reads('list', '/v1/contratos', 200, 200),
  ...reads('filtered list', '/v1/contratos?descripcion=uno&limit=1', 200, 200),
  {
    name: 'list',
    method: 'POST',
    path: '/v1/contratos',
    body: { codigo: 'T' },
    plain: 201,
    before: [['DELETE', item]],
  },
  ...reads('sub-collection', '/v1/contratos/C1/lineas', 200, 200),
  ...reads('contained item', part, 200, 302, setUpPart),
  {
    name: 'contained item',
    method: 'PUT',
    path: part,
    body: { texto: 'y' },
    plain: 200,
    updates: true,
    before: setUpPart,
  },
  {
    name: 'contained item',
    method: 'PATCH',
    path: part,
    body: { texto: 'z' },
    plain: 200,
    updates: true,
    before: setUpPart,
  },
  { name: 'contained item', method: 'DELETE', path: part, plain: 204, updates: true, before: setUpPart },
  ...reads('associated sub-collection', '/v1/clientes/1/contratos', 200, 200),
  ...reads('member', member, 200, 302, setUp),
  { name: 'member', method: 'DELETE', path: member, plain: 204, updates: true, before: setUp },
  { name: 'attached member', method: 'PUT', path: member, plain: 204, updates: true, before: setUp },
  {
    name: 'detached member',
    method: 'PUT',
    path: member,
    tagOf: item,
    plain: 204,
    there: false,
    updates: true,
    before: [...(setUp ?? []), ['DELETE', member]],
  },
  {
    name: 'detached member',
    method: 'DELETE',
    path: member,
    tagOf: item,
    plain: 404,
    before: [...(setUp ?? []), ['DELETE', member]],
  },
  {
    name: 'detached member',
    method: 'GET',
    path: member,
    tagOf: item,
    plain: 404,
    before: [...(setUp ?? []), ['DELETE', member]],
  },
  ...reads('flag', flag, 204, 302, setUp),
  { name: 'flag', method: 'PUT', path: flag, plain: 204, updates: true, before: setUp },
  { name: 'flag', method: 'DELETE', path: flag, plain: 204, updates: true, before: setUp },
  ...(['PUT', 'DELETE'] as const).map(
    (method): Kind => ({
      name: 'flag that is not set',
      method,
      path: flag,
      tagOf: item,
      plain: 204,
      there: false,
      updates: true,
      before: [...(setUp ?? []), ['DELETE', flag]],
    }),
  ),
  {
    name: 'flag that is not set',
    method: 'GET',
    path: flag,
    tagOf: item,
    plain: 404,
    before: [...(setUp ?? []), ['DELETE', flag]],
  },
  ...reads('endpoint', '/v1/recuento', 200, 200),
  { name: 'endpoint', method: 'POST', path: '/v1/recuento', plain: 200 },
  ...(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'] as const).map(
    (method): Kind => ({
      name: 'absent item',
      method,
      path: '/v1/contratos/none',
      tagOf: '/v1/contratos/C1',
      plain: 404,
      ...(method === 'PUT' || method === 'PATCH' ? { body: {} } : {}),
    }),
  ),
  { name: 'item with an invalid body', method: 'PUT', path: item, body: { activo: 3 }, plain: 422, before: setUp },
  { name: 'item with a malformed body', method: 'PUT', path: item, body: '{', plain: 400, before: setUp },
  { name: 'item', method: 'OPTIONS', path: item, plain: 204, before: setUp },
]

/**
 * Fields that this service does not support and must ignore: conditions on the time of a change,
 * and ranges (RFC 9110 13.1.3..5, 14.2).
 */
const ignored = {
  'If-Modified-Since': 'Fri, 01 Jan 2999 00:00:00 GMT',
  'If-Unmodified-Since': 'Thu, 01 Jan 1970 00:00:00 GMT',
  Range: 'bytes=0-1',
  'If-Range': '"0.x"',
}

/**
 * A pair of `If-Match` and `If-None-Match` is tested only if at least one of the two fields has one
 * of these values.
 */
const some = ['absent', '*', 'current', 'another']
const pairs = fields.flatMap((ifMatch) =>
  fields
    .filter(({ name }) => some.includes(name) || some.includes(ifMatch.name))
    .map((ifNoneMatch) => [ifMatch, ifNoneMatch] as const),
)

/**
 * The pairs for memory with settings other than the default. `npm run test:long` also uses them for
 * databases.
 */
const few = pairs.filter(([, { name }]) => name === 'absent' || name === 'current')

/**
 * The pairs for `npm test`: every value of each field, while the other field is absent or matches.
 */
const sides = pairs.filter((pair) => pair.some(({ name }) => name === 'absent' || name === 'current'))
/** The pairs for databases in `npm test`. They are few, because each pair takes several writes. */
const fewest = few.filter(([{ name }]) => some.includes(name))

const pairsOf = (ground: string, isPlain: boolean): readonly (typeof pairs)[number][] => {
  if (ground !== 'memory') return share(few, 4, fewest)
  if (!isPlain) return few
  return share(pairs, 4, sides)
}

describe.each(grounds)('preconditions of requests for records in %s', (ground, open) => {
  // The last two settings are tested only in memory, because a database does not change their
  // effect.
  const settings = [
    { required: false, weakToo: false },
    ...(ground === 'memory'
      ? [
          { required: true, weakToo: false },
          { required: false, weakToo: true },
        ]
      : []),
  ]

  describe.each(settings)('If-Match required: $required, weak tags accepted: $weakToo', ({ required, weakToo }) => {
    let service: Omit<Served, 'data'>
    beforeAll(async () => {
      service = await serveOver(open, { requireIfMatch: required, weakIfMatch: weakToo })
    })
    afterAll(() => service?.close())

    /** Creates the state that the case requires. Returns the current tag. */
    async function setUpCase({ before = [], tagOf, path: own }: Kind, required: boolean): Promise<string> {
      for (const [method, path, body] of before) {
        const { status } = await service.send(method, path, required ? { 'If-Match': '*' } : {}, body)
        if (status > 299 && method !== 'DELETE')
          throw new Error(`${method} ${path} returned ${status}: the case can't be set up.`)
      }
      return (await service.send('GET', tagOf ?? own)).headers.etag ?? '"none.x"'
    }

    it.each(kinds.map((kind) => [`${kind.method} of ${kind.name}`, kind] as const))(
      'HDR-3, HDR-4: %s with If-Match and If-None-Match gets the status that RFC 9110 13.2.2 requires',
      async (_, kind) => {
        const { send } = service
        const wrong: unknown[] = []
        const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(kind.method)
        let tag: string | undefined
        for (const [i, [ifMatch, ifNoneMatch]] of pairsOf(ground, !required && !weakToo).entries()) {
          tag ??= await setUpCase(kind, required)
          const conditions: Record<string, string | string[]> = i % 2 === 0 ? { ...ignored } : {}
          if (ifMatch.lines !== undefined) conditions['If-Match'] = ifMatch.lines(tag)
          if (ifNoneMatch.lines !== undefined) conditions['If-None-Match'] = ifNoneMatch.lines(tag)
          const answer = await send(kind.method, kind.path, conditions, kind.body)
          const expected = model(kind, ifMatch, ifNoneMatch, { required, weakToo })
          const bare = answer.status === 304 ? answer.text === '' && answer.headers.etag === tag : true
          if (answer.status !== expected || !bare) {
            wrong.push({
              ifMatch: ifMatch.name,
              ifNoneMatch: ifNoneMatch.name,
              expected,
              status: answer.status,
              etag: answer.headers.etag,
              tag,
            })
          }
          // A refused request changes nothing, so the next pair uses the same state.
          if (answer.status !== expected || (answer.status < 300 && !isRead)) tag = undefined
        }
        expect(wrong).toEqual([])
      },
      60_000,
    )
  })
})

it('HDR-3, HDR-4: these tests have the expected numbers of request kinds and precondition pairs', () => {
  expect([kinds.length, pairs.length, few.length, sides.length, fewest.length]).toEqual([46, 152, 42, 80, 8])
})
