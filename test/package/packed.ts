/** The package as `npm pack` creates it, unpacked next to its dependencies. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const modules = join(root, 'node_modules')

/**
 * Packs the package and unpacks it into `home`. Links all packages that are installed in this
 * repository into `home/node_modules`. Returns the files of the package.
 */
export function unpack(home: string): readonly string[] {
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', home], {
      cwd: root,
      encoding: 'utf8',
    }),
  )
  mkdirSync(join(home, 'node_modules'))
  for (const name of readdirSync(modules))
    if (!name.startsWith('.')) symlinkSync(join(modules, name), join(home, 'node_modules', name))
  execFileSync('tar', ['-xzf', join(home, packed.filename), '-C', home])
  symlinkSync(join(home, 'package'), join(home, 'node_modules', 'express-rest-conventions'))
  return packed.files.map((file: { path: string }) => file.path)
}
