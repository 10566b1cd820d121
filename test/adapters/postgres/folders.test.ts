/**
 * The folders of the PostgreSQL adapter are layers. Each folder imports only from itself and from
 * earlier folders.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../src/adapters/postgres', import.meta.url))

/**
 * The folders, from the lowest layer to the highest. The file `unfit.ts` is a layer of its own. The
 * entry `.` stands for all other files that are in no folder.
 */
const folders = [
  'unfit.ts',
  'connections',
  'sql',
  'options',
  'values',
  'transactions',
  'table',
  'links',
  'reads',
  'writes',
  'changes',
  'methods',
  'probe',
  '.',
]

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

const folderOf = (path: string): string => (path === 'unfit.ts' ? path : dirname(path))

/** The files of the adapter that the file at `path` imports. */
const importsOf = (path: string): string[] =>
  [...readFileSync(join(root, path), 'utf8').matchAll(/^(?:import|export)\s[^'"]*?from\s+'(\.[^']+)\.js'/gms)]
    .map(([, name]) => `${relative(root, join(root, dirname(path), name as string))}.ts`)
    .filter((target) => !target.startsWith('..'))

describe('the folders of the adapter', () => {
  it('are all listed in this test, and their imports are found', () => {
    expect([...new Set(files.map(folderOf))].sort()).toEqual([...folders].sort())
    expect(importsOf('methods/methods.ts')).toContain('methods/create.ts')
  })

  it.each(files)('%s imports nothing from a later folder', (path) => {
    const place = folders.indexOf(folderOf(path))
    expect(importsOf(path).filter((target) => folders.indexOf(folderOf(target)) > place)).toEqual([])
  })
})
