/** Checks the responses of every server before the server is timed. */
import assert from 'node:assert/strict'
import { XMLParser } from 'fast-xml-parser'
import { represent } from '../by-hand/representation.js'
import type { Row } from '../by-hand/store.js'
import { contractsPath, origin, pageSize, piecesPath } from '../data/addresses.js'
import { branchCount, contracts, piece, pieceCount, pieces } from '../data/records.js'
import type { Answered, Ask } from './ask.js'

/**
 * The query of a filtered and sorted page: the pieces of one branch, newest first. A branch
 * contains a fortieth of all pieces.
 */
export const queryOf = (branch: number): string => `?sucursalDeDistribucion=${branch}&sort=-fechaDeEntrada`
export const pageQuery = queryOf(7)
export const mergePatch = 'application/merge-patch+json'

const contractOf = new Map(contracts().map((contract) => [contract.codigo, contract]))
const rowOf = (numero: number): Row => rowFrom(piece(numero))
const rowFrom = (of: ReturnType<typeof piece>): Row => ({
  piece: of,
  version: '',
  contract: contractOf.get(of.contratoId) as Row['contract'],
})

/**
 * Each piece that a workload or a check changes is in branch 2, 6, 10 and so on, up to 38. Checks
 * that compare a page or an item with the initial records do not read changed pieces.
 */
const changedBranch = 2
export const changeable = (at: number): number => branchCount * (at + 1) + 1

export async function checkItem(ask: Ask): Promise<void> {
  for (const numero of [4, 77, pieceCount]) {
    const answer = await ask(`${piecesPath}/${numero}`)
    isJson(answer, 200)
    strongTag(answer)
    assert.deepEqual(JSON.parse(answer.text), represent(rowOf(numero)))
  }
  isProblem(await ask(`${piecesPath}/99999999`), 404)
  isProblem(await ask(`${piecesPath}/none`), 404)
}

export async function checkNotModified(ask: Ask): Promise<void> {
  const path = `${piecesPath}/77`
  const tag = strongTag(await ask(path))
  const answer = await ask(path, { headers: { 'if-none-match': tag } })
  assert.equal(answer.status, 304)
  assert.equal(answer.text, '')
  assert.equal(answer.headers.etag, tag)
  isJson(await ask(path, { headers: { 'if-none-match': '"another"' } }), 200)
}

/** All pieces that match `pageQuery`, in order. */
let listed: readonly Row[] | undefined

export async function checkPage(ask: Ask, expand = ''): Promise<void> {
  listed ??= pieces()
    .filter(({ sucursalDeDistribucion }) => sucursalDeDistribucion === 7)
    .sort((a, b) => (a.fechaDeEntrada < b.fechaDeEntrada ? 1 : -1))
    .map(rowFrom)
  const all = listed.map((row) => represent(row, expand !== ''))
  for (const page of [1, 2, Math.ceil(all.length / pageSize), 99]) {
    const answer = await ask(`${piecesPath}${pageQuery}&offest=${page}${expand}`)
    isJson(answer, 200)
    assert.equal(answer.headers['x-total-count'], String(all.length))
    assert.ok(answer.headers.etag, 'a list has a tag')
    assert.deepEqual(JSON.parse(answer.text), all.slice((page - 1) * pageSize, page * pageSize))
  }
  isProblem(await ask(`${piecesPath}?lotte=L-1`), 400)
  isProblem(await ask(`${piecesPath}?sucursalDeDistribucion=x`), 400)
  isProblem(await ask(`${piecesPath}?sort=lote`), 400)
  isProblem(await ask(`${piecesPath}?expand=lote`), 400)
}

export const checkExpandedPage = (ask: Ask): Promise<void> => checkPage(ask, '&expand=contrato')

/**
 * Returns the body of a POST: a piece of the third branch. The piece is newer than all initial
 * pieces, as new pieces usually are. A list that is sorted by date can therefore append it quickly.
 */
export function newBody(at: number): Record<string, unknown> {
  const { numero: _, contratoId, ...rest } = piece(branchCount * (at % 200) + 2)
  return {
    contrato: { href: `${origin}${contractsPath}/${contratoId}` },
    ...rest,
    fechaDeEntrada: '2026-01-01T00:00:00.0000000',
  }
}

export async function checkCreate(ask: Ask): Promise<void> {
  const post = (body: object): Promise<Answered> =>
    ask(piecesPath, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const body = newBody(5)
  const answer = await post(body)
  assert.equal(answer.status, 201)
  assert.equal(answer.text, '')
  const tag = strongTag(answer)
  const { location } = answer.headers
  assert.match(location ?? '', new RegExp(`^${origin}${piecesPath}/\\d+$`))
  const created = await ask((location as string).slice(origin.length))
  isJson(created, 200)
  assert.ok(
    sameVersion(created.headers.etag, tag),
    `the tags of the 201 and of the item have the same version: ${tag}, ${created.headers.etag}`,
  )
  const read = JSON.parse(created.text)
  assert.ok(read.numero > pieceCount)
  const { contrato: _, numero: __, ...rest } = read
  const { contrato: ___, ...sent } = body
  assert.deepEqual(rest, sent)
  isProblem(await post({ ...body, lote: 5 }), 422)
  isProblem(await post({ ...body, valorDeclarado: -1 }), 422)
  isProblem(await post({ ...body, contrato: { href: `${origin}${contractsPath}/C-none` } }), 422)
  const { lote: ____, ...incomplete } = body
  isProblem(await post(incomplete), 422)
}

/**
 * Compares the versions in two entity tags. In the tags of some servers, the version is followed by
 * a dot and an identifier of the representation.
 */
const sameVersion = (a: string | undefined, b: string): boolean =>
  a?.replace(/\.[^.]*"$/, '') === b.replace(/\.[^.]*"$/, '')

export async function checkPatch(ask: Ask): Promise<void> {
  const numero = changeable(200)
  const path = `${piecesPath}/${numero}`
  const patch = (change: object, tag: string): Promise<Answered> =>
    ask(path, {
      method: 'PATCH',
      headers: { 'content-type': mergePatch, 'if-match': tag },
      body: JSON.stringify(change),
    })
  const before = await ask(path)
  const tag = strongTag(before)
  const expected = { ...JSON.parse(before.text), valorDeclarado: JSON.parse(before.text).valorDeclarado + 1 }
  const answer = await patch({ valorDeclarado: expected.valorDeclarado }, tag)
  isJson(answer, 200)
  assert.deepEqual(JSON.parse(answer.text), expected)
  const next = strongTag(answer)
  assert.notEqual(next, tag)
  isProblem(await patch({ valorDeclarado: 3 }, tag), 412)
  const after = await ask(path)
  assert.deepEqual(JSON.parse(after.text), expected)
  assert.equal(after.headers.etag, next)
  isProblem(await patch({ valorDeclarado: 'much' }, next), 422)
  isProblem(await patch({ lote: null }, next), 422)
}

/** Checks pages and a PATCH, and that a list shows a change immediately. */
export async function checkMixed(ask: Ask): Promise<void> {
  await checkPage(ask)
  await checkPatch(ask)
  const at = 199
  // Sorted by `numero`, the first piece of the branch is piece 1, and the second is
  // `changeable(0)`. With one piece per page, `changeable(at)` is therefore on page `at + 2`.
  const list = `${piecesPath}?sucursalDeDistribucion=${changedBranch}&sort=numero&limit=1&offest=${at + 2}`
  const path = `${piecesPath}/${changeable(at)}`
  const before = JSON.parse((await ask(list)).text)[0]
  const tag = strongTag(await ask(path))
  const expected = { ...before, valorDeclarado: before.valorDeclarado + 1 }
  const body = JSON.stringify({ valorDeclarado: expected.valorDeclarado })
  isJson(await ask(path, { method: 'PATCH', headers: { 'content-type': mergePatch, 'if-match': tag }, body }), 200)
  assert.deepEqual(JSON.parse((await ask(list)).text), [expected])
}

/**
 * Checks that a request without a valid token gets 401, and that a request whose token lacks the
 * scope gets 403. A request with a valid token and the scope must count against the rate limit.
 */
export async function checkToken(
  ask: Ask,
  tokens: { readonly good: string; readonly forged: string; readonly scopeless: string },
): Promise<void> {
  const path = `${piecesPath}/77`
  const as = (token: string): Promise<Answered> => ask(path, { headers: { authorization: `Bearer ${token}` } })
  const remaining = async (): Promise<number> => remainingOf(await as(tokens.good))
  const anonymous = await ask(path, { headers: { authorization: '' } })
  isProblem(anonymous, 401)
  assert.match(anonymous.headers['www-authenticate'] ?? '', /^Bearer /)
  isProblem(await as(tokens.forged), 401)
  isProblem(await as(tokens.scopeless), 403)
  const first = await remaining()
  assert.equal(await remaining(), first - 1)
  await checkItem(ask)
}

/**
 * Returns the number of remaining requests of the rate limit. The header field depends on the
 * framework: `RateLimit: "default"; r=9` or `x-ratelimit-remaining: 9`.
 */
function remainingOf({ headers }: Answered): number {
  const found = headers['x-ratelimit-remaining'] ?? /\br=(\d+)/.exec(headers.ratelimit ?? '')?.[1]
  assert.ok(found !== undefined, 'the response has the number of remaining requests')
  return Number(found)
}

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  isArray: (name) => name === 'pre-pieza' || name === 'item',
})

export async function checkXmlPage(ask: Ask): Promise<void> {
  const [json, xml] = await Promise.all(
    ['application/json', 'application/xml'].map((accept) => ask(`${piecesPath}${pageQuery}`, { headers: { accept } })),
  )
  isJson(json as Answered, 200)
  const { status, headers, text } = xml as Answered
  assert.equal(status, 200)
  assert.match(headers['content-type'] ?? '', /^application\/xml/)
  assert.match(headers.vary ?? '', /accept/i)
  assert.equal(headers['x-total-count'], (json as Answered).headers['x-total-count'])
  const read = parser.parse(text)['pre-piezas']['pre-pieza']
  const expected = JSON.parse((json as Answered).text, (name, value) =>
    name === 'telefonos'
      ? value.length === 0
        ? ''
        : { item: value }
      : typeof value === 'object'
        ? value
        : String(value),
  )
  assert.equal(expected.length, pageSize)
  assert.deepEqual(read, expected)
}

export async function checkLogin(ask: Ask, password: string, isToken: (token: string) => boolean): Promise<void> {
  const answer = await ask('/login', { headers: { authorization: basic(password) } })
  assert.equal(answer.status, 200)
  assert.equal(answer.text, '')
  assert.match(answer.headers['cache-control'] ?? '', /no-store/)
  assert.ok(isToken(answer.headers['x-authorization-token'] ?? ''), 'the token is signed with the key')
  const refused = await ask('/login', { headers: { authorization: basic('wrong') } })
  isProblem(refused, 401)
  assert.match(refused.headers['www-authenticate'] ?? '', /^Basic /)
}

export const loginUser = 'ana'
export const basic = (password: string): string => `Basic ${Buffer.from(`${loginUser}:${password}`).toString('base64')}`

function isJson({ status, headers, text }: Answered, expected: number): void {
  assert.equal(status, expected, text)
  assert.match(headers['content-type'] ?? '', /^application\/json/)
}

function isProblem({ status, headers, text }: Answered, expected: number): void {
  assert.equal(status, expected, text)
  assert.match(headers['content-type'] ?? '', /^application\/problem\+json/)
  const body = JSON.parse(text)
  assert.equal(body.status, expected)
  for (const member of ['type', 'title', 'instance'])
    assert.equal(typeof body[member], 'string', `${member} of the problem`)
}

function strongTag({ headers }: Answered): string {
  assert.match(headers.etag ?? '', /^"[^"]+"$/, 'the tag is strong')
  return headers.etag as string
}
