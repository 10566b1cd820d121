/** Fetches a key set over HTTP (RFC 7517 5), with limits for time, size and redirects. */
import { isObject } from '../../definition/json.js'
import { loggableError } from '../../failures/loggable.js'
import { parseJson } from '../../http/json-text.js'
import { invalidOption } from '../../options/check.js'

/** The maximum size of a key set, in bytes. */
const largest = 1024 * 1024

/**
 * Returns the URL of a key set. Throws `ConfigurationError` if the source is not a URL, contains
 * credentials, or is neither an https URL nor an http URL of this machine. Over http, an attacker
 * who can modify the response could replace the keys and sign tokens.
 */
export function keySetAddress(source: string | URL): URL {
  if (!URL.canParse(String(source))) {
    throw invalidOption(
      'The source of jwks() is not a URL. Use one such as "https://login.example/jwks.json", or a function.',
    )
  }
  const url = new URL(String(source))
  if (url.username !== '' || url.password !== '') {
    throw invalidOption(
      'The source of jwks() contains credentials, which fetch() refuses. Use a function that sends them.',
    )
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw invalidOption(
    `The source of jwks() uses ${url.protocol}//, so an attacker on the network could replace the keys. Use an ` +
      'https address.',
  )
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)

/**
 * Fetches the key set. The response must have the status 200 and a body of at most 1 MiB, and must
 * not be a redirect. The messages of the errors that this function creates are safe to log.
 */
export async function fetchKeySet(address: URL, get: typeof fetch, signal: AbortSignal): Promise<unknown> {
  const response = await get(address, {
    redirect: 'error',
    signal,
    headers: { Accept: 'application/jwk-set+json, application/json' },
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw loggableError(`The response to the request for the key set has the status ${response.status}.`)
  }
  const json = parseJson(await read(response), { depth: 16 })
  if ('malformed' in json) throw loggableError('The key set is not JSON.')
  return json.value
}

async function read(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > largest) throw loggableError(`The key set is larger than ${largest} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns the list `keys` of a key set. Throws if the key set has no such list. */
export function keysOfSet(set: unknown): readonly unknown[] {
  if (isObject(set) && Array.isArray(set.keys)) return set.keys
  throw loggableError('The key set has no list "keys".')
}
