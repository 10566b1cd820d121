/**
 * With the option `production`, the check sends no requests that could lock accounts, exhaust
 * limits or overload the service. This module decides which requests are not sent.
 */
import { header } from '../../wire.js'
import type { Request } from './exchange.js'

/**
 * The limits with `production`: requests per second, requests in total, bytes of a body, and
 * characters of a URL.
 */
export const productionLimits = { rate: 10, budget: 3_000, body: 65_536, address: 4_096 } as const

/** The reason why no requests are sent at the same time. */
export const noRaces =
  '--production sends one request at a time, because simultaneous requests (races) could overload the service'

/** The reason why no request is sent after a 429. */
export const limited =
  '--production stops at the first 429, because more requests could use up the limit of other clients'

/** The reason why a request must not be sent. `undefined` if the request may be sent. */
export function refusedInProduction({ caller, headers, body, url }: Request): string | undefined {
  if (caller.kind === 'altered' || caller.kind === 'forged' || caller.kind === 'unsigned')
    return '--production sends no altered or made-up tokens, because failed attempts could lock an account'
  const credentials = Object.entries(headers).find(
    ([name]) => name.toLowerCase() === header.authorization.toLowerCase(),
  )?.[1]
  if (credentials !== undefined || caller.kind === 'basic' || caller.kind === 'wrong-password')
    return (
      '--production sends no wrong or made-up passwords, and no credentials except those that were given, because ' +
      'failed attempts could lock an account'
    )
  const { body: largestBody, address: longestAddress } = productionLimits
  if (Buffer.byteLength(body ?? '') > largestBody)
    return `--production sends no body of more than ${largestBody} bytes, because it could overload the service`
  if (url.length > longestAddress)
    return (
      `--production sends no request with a URL of more than ${longestAddress} characters, because long URLs ` +
      'could overload the service'
    )
  return undefined
}
