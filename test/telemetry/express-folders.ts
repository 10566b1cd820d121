/**
 * Creates two folders. In one folder, the package name `express` means Express 4. In the other
 * folder, it means Express 5. Instrumentations identify a package by its name and folder.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface ExpressFolders {
  readonly 4: string
  readonly 5: string
  remove(): void
}

/**
 * Creates the folders inside the project, whose node_modules contains Express 5 and the
 * dependencies of both versions.
 */
export function makeExpressFolders(): ExpressFolders {
  mkdirSync(join(root, 'build'), { recursive: true })
  const home = mkdtempSync(join(root, 'build', 'telemetry-'))
  for (const major of ['4', '5']) {
    mkdirSync(join(home, major))
    writeFileSync(join(home, major, 'express.mjs'), "export { default } from 'express'\n")
  }
  cpSync(join(root, 'node_modules/express4'), join(home, '4/node_modules/express'), { recursive: true })
  return { 4: join(home, '4'), 5: join(home, '5'), remove: () => rmSync(home, { recursive: true, force: true }) }
}
