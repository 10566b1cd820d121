/** Clients that send their requests through third-party caches. */
import zlib from 'node:zlib'
import CachePolicy from 'http-cache-semantics'
import { Agent, cacheStores, type Dispatcher, interceptors, request } from 'undici'

export type Fields = Readonly<Record<string, string>>

interface Got {
  readonly status: number
  /** The decoded body. */
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

export interface Client {
  get(url: string, headers?: Fields): Promise<Got>
  close(): Promise<void>
}

async function ask(dispatcher: Dispatcher, url: string, headers: Fields): Promise<Got> {
  const { statusCode, headers: fields, body } = await request(url, { dispatcher, headers })
  const bytes = Buffer.from(await body.arrayBuffer())
  const packed = fields['content-encoding'] === 'gzip' && bytes.length > 0
  return { status: statusCode, text: (packed ? zlib.gunzipSync(bytes) : bytes).toString(), headers: fields }
}

/** A client without a cache. */
export function direct(): Client {
  const agent = new Agent()
  return { get: (url, headers = {}) => ask(agent, url, headers), close: () => agent.close() }
}

export type Sharing = 'private' | 'shared'

function undiciCache(type: Sharing): Client {
  const agent = new Agent()
  const caching = agent.compose(interceptors.cache({ store: new cacheStores.MemoryCacheStore(), type }))
  return { get: (url, headers = {}) => ask(caching, url, headers), close: () => agent.close() }
}

/**
 * A cache like those of `make-fetch-happen`, `got` and others. It stores one response per URL, and
 * follows the rules of `http-cache-semantics`.
 */
function semanticsCache(type: Sharing): Client {
  const agent = new Agent()
  const stored = new Map<string, { policy: CachePolicy; got: Got }>()
  return {
    async get(url, headers = {}) {
      const asked = { url, method: 'GET', headers }
      const known = stored.get(url)
      if (known?.policy.satisfiesWithoutRevalidation(asked)) return known.got
      const got = await ask(agent, url, known === undefined ? headers : known.policy.revalidationHeaders(asked))
      if (known !== undefined && got.status === 304) {
        const { policy, modified } = known.policy.revalidatedPolicy(asked, { status: 304, headers: got.headers })
        if (modified) throw new Error('The 304 does not belong to the stored response.')
        const again = { ...known.got, headers: policy.responseHeaders() }
        stored.set(url, { policy, got: again })
        return again
      }
      const policy = new CachePolicy(asked, { status: got.status, headers: got.headers }, { shared: type === 'shared' })
      if (policy.storable()) stored.set(url, { policy, got })
      else stored.delete(url)
      return got
    },
    close: () => agent.close(),
  }
}

export const caches: readonly (readonly [name: string, open: (type: Sharing) => Client])[] = [
  ['undici', undiciCache],
  ['http-cache-semantics', semanticsCache],
]
