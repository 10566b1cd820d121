/**
 * Creates the file with the empty database that `prepared.ts` describes, if the file does not exist
 * yet: `node build/examples/pre-piezas/store/prepare.js`.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs'
import { preparedFile } from './prepared.js'

const file = preparedFile()
if (!existsSync(file)) {
  const { PGlite } = await import('@electric-sql/pglite')
  const empty = await PGlite.create()
  await empty.exec('VACUUM FREEZE')
  await empty.exec('CHECKPOINT')
  const dump = Buffer.from(await (await empty.dumpDataDir('gzip')).arrayBuffer())
  // The file is written atomically, because another process may be loading or creating it.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, dump)
  renameSync(draft, file)
  await empty.close()
}
