/** The stores of the example, inside the test process. They use PGlite, as `npm start` does. */
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Data } from '../../examples/pre-piezas/data/generator.js'
import { openEmbedded } from '../../examples/pre-piezas/store/embedded.js'
import { preparedFile } from '../../examples/pre-piezas/store/prepared.js'
import { seed } from '../../examples/pre-piezas/store/seed.js'
import { prepare, type Stores, storesIn } from '../../examples/pre-piezas/store/stores.js'
import { tables } from '../../examples/pre-piezas/store/tables.js'

export interface EmbeddedStores {
  readonly stores: Stores
  /**
   * Resets the data to the given records. Returns immediately if the previous call had the same
   * records and nothing was written after that call.
   */
  fill(data: Data): Promise<void>
}

export async function embeddedStores(): Promise<EmbeddedStores> {
  const built = fileURLToPath(new URL('../../build/examples/pre-piezas/store', import.meta.url))
  const database = await openEmbedded(undefined, join(built, basename(preparedFile())))
  await database.transaction((run) => prepare(run, 0))
  const names = Object.values(tables).map(({ table }) => table)
  /** The current end of the write-ahead log. */
  const position = () =>
    database.transaction(async (run) => (await run('SELECT pg_current_wal_insert_lsn()::text AS at'))[0]?.at)
  let filled: { readonly data: Data; readonly position: unknown } | undefined
  return {
    stores: storesIn(database),
    async fill(data) {
      if (filled?.data === data && filled.position === (await position())) return
      await database.transaction(async (run) => {
        await run(`TRUNCATE ${names.join(', ')}`)
        await seed(run, data)
      })
      // The first read of a row writes a hint bit, which moves the end of the log. So all rows are
      // read before `position()` is called.
      await database.transaction((run) => run(names.map((name) => `SELECT count(*) FROM ${name}`).join('; ')))
      filled = { data, position: await position() }
    },
  }
}
