/**
 * Requests of different kinds, with thousands of ids, queries, hosts, accepted types and tokens.
 * The same request comes again only after a long time, so every cache must evict entries.
 */
import jwt from 'jsonwebtoken'
import { keyOf } from '../../by-hand/access.js'
import { piecesPath } from '../../data/addresses.js'
import { mergePatch } from '../../workloads/checks.js'
import { branchesOf, type Extent } from '../data/records.js'
import type { Asked, Turn } from './round.js'

/**
 * The options of the mix: `first` is the number of its first request, and `secret` signs its
 * tokens.
 */
export interface Mix extends Extent {
  readonly first: number
  readonly secret: string
}

const tokenCount = 3000
const hostCount = 5000
const sorts = ['-fechaDeEntrada', 'fechaDeEntrada', 'numero', '-numero,fechaDeEntrada'] as const

const tokens = new Map<string, readonly string[]>()

/** Returns tokens of different callers. The tokens are signed only once. */
export function tokensOf(secret: string): readonly string[] {
  let made = tokens.get(secret)
  if (made === undefined) {
    const key = keyOf(secret)
    const sign = (at: number): string =>
      jwt.sign({ sub: `caller-${at}`, scope: '*:read *:write' }, key, { algorithm: 'HS256', expiresIn: '12h' })
    made = Array.from({ length: tokenCount }, (_, at) => sign(at))
    tokens.set(secret, made)
  }
  return made
}

/**
 * Returns a function that creates the requests of a connection. All connections share one counter
 * of requests.
 */
export function mixed({ first, secret, ...extent }: Mix): (connection: number) => Turn {
  const signed = tokensOf(secret)
  const branches = branchesOf(extent)
  let count = first
  /**
   * PATCH requests change only pieces of the second branch. GET requests for items read other
   * pieces.
   */
  const changed = (at: number): number => branches * ((at * 31) % Math.floor(extent.rows / branches)) + 1
  const unchanged = (at: number): number => {
    const numero = 1 + ((at * 7919) % extent.rows)
    if (numero % branches !== 1) return numero
    return numero === extent.rows ? numero - 1 : numero + 1
  }
  return () => {
    let turn = 0
    let before: Asked | undefined
    return (tag) => {
      const at = count++
      const kind = turn++ % 20
      // A conditional GET of the piece that this connection has just read, in the same format.
      if (kind === 7 && before !== undefined)
        return { ...before, headers: { ...before.headers, 'if-none-match': tag ?? '' }, status: 304 }
      const headers = headersOf(at, signed)
      before = { path: `${piecesPath}/${unchanged(at)}`, headers, status: 200 }
      if (kind < 8) return before
      if (kind < 13) return { path: `${piecesPath}${queryOf(at, branches)}`, headers, status: 200 }
      if (kind === 13)
        return {
          path: `${piecesPath}${queryOf(at, branches)}`,
          headers: { ...headers, accept: 'application/xml' },
          status: 200,
        }
      if (kind < 16) return patch(changed(at), at, headers)
      if (kind === 16) return { path: `${piecesPath}/${extent.rows + 1 + at}`, headers, status: 404 }
      if (kind === 17) return { path: `${piecesPath}?lotte${at}=${at}&sort=campo${at}`, headers, status: 400 }
      if (kind === 18) return { ...patch(changed(at), at, { ...headers, 'if-match': `"none-${at}"` }), status: 412 }
      return { path: `${piecesPath}/${at}`, headers: { ...headers, authorization: `Bearer forged-${at}` }, status: 401 }
    }
  }
}

const headersOf = (at: number, signed: readonly string[]): Readonly<Record<string, string>> => ({
  host: `h${at % hostCount}.example`,
  accept: `application/json;q=0.${100 + (at % 900)}, text/x-${at}`,
  authorization: `Bearer ${signed[at % signed.length]}`,
})

const queryOf = (at: number, branches: number): string =>
  `?sucursalDeDistribucion=${1 + (at % branches)}&valorDesde=${at % 90_001}&sort=${sorts[at % sorts.length]}&limit=${1 + (at % 40)}&offest=${1 + (at % 3)}${at % 2 === 0 ? '&expand=contrato' : ''}`

const patch = (numero: number, at: number, headers: Readonly<Record<string, string>>): Asked => ({
  method: 'PATCH',
  path: `${piecesPath}/${numero}`,
  headers: { ...headers, 'content-type': mergePatch },
  body: `{"valorDeclarado":${at % 100_003}}`,
  status: 200,
})
