/** Getting a key set over HTTP (RFC 7517 5): bounded in time, size and where it may lead. */
import { isObject } from '../../definition/json.js'
import { stated } from '../../failures/stated.js'
import { parseJson } from '../../http/json-text.js'
import { invalidOption } from '../../options/check.js'

/** The largest key set, in bytes. */
const largest = 1024 * 1024

/** The address of a key set. Throws `ConfigurationError` unless it is https, or http on this machine: who can change the answer on its way can sign tokens. */
export function keySetAddress(source: string | URL): URL {
  if (!URL.canParse(String(source))) {
    throw invalidOption(
      'The source of jwks() is no URL. Give one such as "https://login.example/jwks.json", or a function.',
    )
  }
  const url = new URL(String(source))
  if (url.username !== '' || url.password !== '') {
    throw invalidOption('The source of jwks() holds credentials, which fetch refuses. Give a function that sends them.')
  }
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw invalidOption(
    `The source of jwks() is on ${url.protocol}//, where anybody on the way could swap the keys. Give an https address.`,
  )
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(?:\.\d+){3}$/.test(host)

/** The key set at an address: 200, no redirect, at most 1 MiB. Rejects with an error in our own words. */
export async function fetchKeySet(address: URL, get: typeof fetch, signal: AbortSignal): Promise<unknown> {
  const response = await get(address, {
    redirect: 'error',
    signal,
    headers: { Accept: 'application/jwk-set+json, application/json' },
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw stated(new Error(`The key set was answered with ${response.status}.`))
  }
  const json = parseJson(await read(response), { depth: 16 })
  if ('malformed' in json) throw stated(new Error('The key set is no JSON.'))
  return json.value
}

async function read(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > largest) throw stated(new Error(`The key set is larger than ${largest} bytes.`))
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The members of `keys` of a key set. Throws where it has none. */
export function keysOfSet(set: unknown): readonly unknown[] {
  if (isObject(set) && Array.isArray(set.keys)) return set.keys
  throw stated(new Error('The key set has no list "keys".'))
}
