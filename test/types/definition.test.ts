/**
 * The types that users of the package see: the published declarations, checked by the oldest and
 * the newest supported TypeScript.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const node = (...args: string[]) => spawnSync(process.execPath, args, { cwd: home, encoding: 'utf8' })
const files = ['definition.test-d.ts', 'access.test-d.ts', 'formats.test-d.ts', 'endpoints.test-d.ts']
let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'types-'))
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(join(modules, '@types'), join(home, 'node_modules', '@types'))
  symlinkSync(root, join(home, 'node_modules', 'express-rest-conventions'))
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  for (const file of files) copyFileSync(join(root, 'test/types', file), join(home, file))
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe('types of definitions, access, formats and endpoints', () => {
  it.each(['typescript54', 'typescript'])('%s reports errors at each @ts-expect-error and nowhere else', (compiler) => {
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
    ]
    const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node']
    const checked = node(join(modules, compiler, 'bin/tsc'), ...options, ...target, ...files)
    expect(checked.stdout).toBe('')
    expect(checked.status).toBe(0)
  })
})
