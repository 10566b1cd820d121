/**
 * Plain `node:http`, with code that is written only for these routes. This server shows the minimum
 * cost.
 */
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import etag from 'etag'
import { authenticate, authorize, issueToken, keyOf, logIn, minuteLimit } from '../by-hand/access.js'
import { parseListQuery, parseNumero } from '../by-hand/list-query.js'
import { openStore } from '../by-hand/open-store.js'
import { absent, malformed, Problem, problemOf, problemType, stale } from '../by-hand/problem.js'
import { addressOf, newPiece, patchedPiece, represent } from '../by-hand/representation.js'
import type { Row, Store } from '../by-hand/store.js'
import { piecesPath } from '../data/addresses.js'
import type { Setting, Start } from './setting.js'

export const start: Start = (setting) => {
  const store = openStore(setting.database)
  const guard = setting.secured ? makeGuard(setting) : undefined
  const key = keyOf(setting.secret)
  return createServer(async (req, res) => {
    const url = req.url ?? '/'
    try {
      if (url === '/login' && req.method === 'GET') {
        const caller = await logIn(req.headers.authorization, setting.account)
        res
          .writeHead(200, {
            'x-authorization-token': issueToken(caller, key),
            'cache-control': 'no-store',
            'content-length': 0,
          })
          .end()
        return
      }
      guard?.(req, res)
      await route(store, url, req, res)
    } catch (error) {
      const problem = problemOf(error)
      const body = JSON.stringify(problem.body(url))
      res
        .writeHead(problem.status, {
          ...problem.headers,
          'content-type': problemType,
          'content-length': Buffer.byteLength(body),
        })
        .end(body)
    }
  })
}

async function route(store: Store, url: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (!url.startsWith(piecesPath)) throw absent()
  const after = url.charCodeAt(piecesPath.length)
  if (Number.isNaN(after) || after === 63 /* ? */) {
    if (req.method === 'GET') return page(store, url.slice(piecesPath.length + 1), req, res)
    if (req.method === 'POST') return create(store, req, res)
    throw notAllowed('GET, POST')
  }
  const end = url.indexOf('?')
  const numero =
    after === 47 /* / */ ? parseNumero(url.slice(piecesPath.length + 1, end === -1 ? undefined : end)) : undefined
  if (numero === undefined) throw absent()
  const row = await store.read(numero)
  if (row === undefined) throw absent()
  if (req.method === 'GET') return item(row, req, res)
  if (req.method === 'PATCH') return patch(store, row, req, res)
  throw notAllowed('GET, PATCH')
}

async function page(store: Store, query: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const asked = parseListQuery(parse(query))
  const { rows, total } = await store.list(asked)
  const body = JSON.stringify(rows.map((row) => represent(row, asked.expand)))
  const tag = etag(body)
  if (req.headers['if-none-match'] === tag) res.writeHead(304, { etag: tag }).end()
  else json(res, 200, body, { etag: tag, 'x-total-count': total })
}

async function create(store: Store, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const { piece, contract } = await newPiece(await readJson(req, 'application/json'), store)
  const { piece: created, version } = await store.create(piece, contract)
  res.writeHead(201, { location: addressOf(created.numero), etag: `"${version}"`, 'content-length': 0 }).end()
}

function item(row: Row, req: IncomingMessage, res: ServerResponse): void {
  const tag = `"${row.version}"`
  if (req.headers['if-none-match'] === tag) res.writeHead(304, { etag: tag }).end()
  else json(res, 200, JSON.stringify(represent(row)), { etag: tag })
}

async function patch(store: Store, row: Row, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const expected = req.headers['if-match']
  if (expected !== undefined && expected !== `"${row.version}"`) throw stale()
  const { piece, contract } = await patchedPiece(row, await readJson(req, 'application/merge-patch+json'), store)
  const saved = await store.replace(piece, contract, row.version)
  if (saved === undefined) throw stale()
  json(res, 200, JSON.stringify(represent(saved)), { etag: `"${saved.version}"` })
}

function json(res: ServerResponse, status: number, body: string, headers: OutgoingHttpHeaders): void {
  headers['content-type'] = 'application/json; charset=utf-8'
  headers['content-length'] = Buffer.byteLength(body)
  res.writeHead(status, headers).end(body)
}

const longest = 100_000

function readJson(req: IncomingMessage, type: string): Promise<unknown> {
  if (req.headers['content-type'] !== type) throw new Problem(415, 'The media type is not supported', `Send ${type}.`)
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    req.on('data', (part: Buffer) => {
      length += part.length
      if (length > longest) reject(new Problem(413, 'The body is too large', `The maximum is ${longest} bytes.`))
      else parts.push(part)
    })
    req.on('error', reject)
    req.on('end', () => {
      try {
        resolve(JSON.parse(Buffer.concat(parts).toString()))
      } catch {
        reject(malformed('The body is not JSON.'))
      }
    })
  })
}

function makeGuard({ secret }: Setting): (req: IncomingMessage, res: ServerResponse) => void {
  const key = keyOf(secret)
  const count = minuteLimit()
  return (req, res) => {
    const caller = authenticate(req.headers.authorization, key)
    authorize(caller, req.method === 'GET' ? 'read' : 'write')
    const { remaining, reset } = count(caller.sub)
    res.setHeader('ratelimit', `"default"; r=${remaining}; t=${reset}`)
  }
}

const notAllowed = (allow: string): Problem =>
  new Problem(405, 'The method is not allowed', `Allowed: ${allow}.`, { allow })
