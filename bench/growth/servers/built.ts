/** Loads the built library, its adapters and its server. */
import { type Library, load, loadEntries, loadHelper } from '../../servers/library.js'

export interface Built {
  readonly library: Library
  readonly memory: typeof import('express-rest-conventions/memory')
  readonly postgres: typeof import('express-rest-conventions/postgres')
  readonly helper: Awaited<ReturnType<typeof loadHelper>>
}

export async function loadBuilt(checkout: string): Promise<Built> {
  return {
    library: await loadEntries(checkout),
    memory: (await load(checkout, 'dist/adapters/memory/index.js')) as Built['memory'],
    postgres: (await load(checkout, 'dist/adapters/postgres/index.js')) as Built['postgres'],
    helper: await loadHelper(checkout),
  }
}
