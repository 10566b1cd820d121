/**
 * Tests the ruleset as users of the package use it: a YAML file names the ruleset of the packed
 * package, and Spectral's own command reads this file.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { foreignDocument } from './foreign.js'

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
let home: string

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'ruleset-'))
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
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The findings of Spectral's command for a document and a ruleset. */
function lint(document: object, ruleset: string): readonly unknown[] {
  writeFileSync(join(home, '.spectral.yaml'), ruleset)
  writeFileSync(join(home, 'openapi.json'), JSON.stringify(document))
  const command = join(modules, '@stoplight/spectral-cli/dist/index.js')
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [command, 'lint', '--quiet', '--format', 'json', 'openapi.json'],
    {
      cwd: home,
      encoding: 'utf8',
    },
  )
  expect(stderr).toBe('')
  return (JSON.parse(stdout) as { code: string }[]).map(({ code }) => code)
}

describe('express-rest-conventions/spectral in the packed package', () => {
  const extending = "extends: ['express-rest-conventions/spectral']\n"
  const singular = foreignDocument()
  singular.paths['/v1/stock'] = singular.paths['/v1/invoices']

  it('can be extended by its name', () => {
    expect(lint(foreignDocument(), extending)).toEqual([])
    expect(lint(singular, extending)).toEqual(['path-2-plural'])
  })

  it("lets a user's own ruleset turn off a rule for one path", () => {
    const excepting =
      `${extending}overrides:\n  - files: ['openapi.json#/paths/~1v1~1stock']\n    rules: { ` +
      'path-2-plural: "off" }\n'
    expect(lint(singular, excepting)).toEqual([])
  })
})
