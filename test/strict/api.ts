/** Replaces `src/router/api.ts` while tests run. */
import { api as make } from '../../src/router/api.js'
import { handOut, watchService } from './watch.js'

export * from '../../src/router/api.js'

/** Marks hand-written routes, so that their responses are not compared with the document. */
function withRoutesApart(options: unknown): unknown {
  const { versions } = (options ?? {}) as { readonly versions?: Readonly<Record<string, unknown>> }
  if (typeof versions !== 'object' || versions === null) return options
  const changed = Object.entries(versions).map(([name, entry]) => {
    const { routes } = (entry ?? {}) as { readonly routes?: unknown }
    return [name, typeof routes === 'function' ? { ...(entry as object), routes: handOut(routes as never) } : entry]
  })
  return { ...(options as object), versions: Object.fromEntries(changed) }
}

export const api: typeof make = (options) => watchService(make(withRoutesApart(options) as typeof options))
