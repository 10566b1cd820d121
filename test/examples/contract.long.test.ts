/**
 * Checks the contract of the example as users of the package do: with the command line, real
 * modules and a real git repository.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { commit, git, repository } from '../cli/repository.js'

// Each command is a process of its own, which is slow on a busy machine.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 })

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The folder of the compiled example. It is inside the project, where the package name resolves to
 * the build.
 */
let compiled: string

beforeAll(() => {
  compiled = mkdtempSync(join(root, 'build/contract-'))
  cpSync(join(root, 'build/examples'), join(compiled, 'examples'), { recursive: true })
  writeFileSync(
    join(compiled, 'examples/pre-piezas/contract.js'),
    `import { openAccess } from './access.js'
import { createService } from './service.js'
import { storesIn } from './store/stores.js'
const asked = () => { throw new Error('A document must not query a store.') }
const stores = storesIn({ client: { query: asked }, transaction: asked, ask: asked, close: async () => {} })
const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
export const api = createService({ rateLimit: 600 }, { stores, access, counters: { close() {} } }).apis.inside
`,
  )
})

afterAll(() => rmSync(compiled, { recursive: true, force: true }))

/**
 * Copies the example and replaces strings in one file of the copy. Returns the path of the module
 * `contract.js` in the copy.
 */
function changed(name: string, file: string, ...edits: readonly (readonly [RegExp, string])[]): string {
  const copy = join(compiled, name)
  cpSync(join(compiled, 'examples'), copy, { recursive: true })
  const path = join(copy, 'pre-piezas', file)
  let text = readFileSync(path, 'utf8')
  for (const [from, to] of edits) {
    expect(text).toMatch(from)
    text = text.replace(from, to)
  }
  writeFileSync(path, text)
  return join(copy, 'pre-piezas/contract.js')
}

const run = (folder: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('the contract of the example', () => {
  it('passes --check if it is unchanged, fails if a filter is removed, and passes again after --accept', () => {
    const folder = repository()
    const original = join(compiled, 'examples/pre-piezas/contract.js')
    expect(run(folder, 'openapi', original)).toMatchObject({
      status: 0,
      stdout: 'written openapi/v8.json\nwritten openapi/v1.json\n',
    })
    expect(readdirSync(join(folder, 'openapi'))).toEqual(['v1.json', 'v8.json'])
    commit(folder)
    expect(run(folder, 'openapi', original, '--check', '--against', 'main')).toEqual({
      status: 0,
      stdout: '0 breaking changes, 0 harmless\n',
      stderr: '',
    })

    git(folder, 'checkout', '--quiet', '-b', 'topic')
    const without = changed('one', 'resources/pre-piezas.js', [/lote: true,/, ''])
    run(folder, 'openapi', without)
    commit(folder)
    const failed = run(folder, 'openapi', without, '--check', '--against', 'main')
    expect(failed.status).toBe(1)
    const sentence = (version: string) =>
      `${version}: the filter "lote" of pre-piezas was removed (also in 1 other operation): clients that send it get 400. ` +
      'Put the change into v9, or accept it with --accept [filter-removed]\n'
    expect(failed.stderr).toContain(sentence('v1'))
    expect(failed.stderr).toContain(sentence('v8'))

    expect(run(folder, 'openapi', without, '--against', 'main', '--accept', 'nobody sends it').status).toBe(0)
    expect(run(folder, 'openapi', without, '--check', '--against', 'main')).toMatchObject({ status: 0, stderr: '' })

    const more = changed(
      'more',
      'resources/pre-piezas.js',
      [/lote: true,/, ''],
      [/'valorDeclarado',\s*'destinatario.apellido',/, "'destinatario.apellido',"],
    )
    const again = run(folder, 'openapi', more, '--check', '--against', 'main')
    expect(again.status).toBe(1)
    expect(again.stderr).toContain(
      'v1: the sort member "valorDeclarado" of pre-piezas was removed (also in 1 other operation): clients that send ' +
        'sort=valorDeclarado get 400.',
    )
    expect(again.stderr).not.toContain('the filter "lote"')
  })

  it('the command exits with code 2 and says what is wrong with a module or a command name', () => {
    const folder = repository()
    const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
    write(
      'main.mjs',
      'import { createServer } from "node:http"\nsetTimeout(() => {}, 60_000)\nasync function main() {\n  ' +
        'createServer().listen(0)\n}\nmain()\n',
    )
    expect(run(folder, 'openapi', 'main.mjs')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('main.mjs starts a server when it is imported.'),
    })
    write('api.ts', 'export default 1 as number\n')
    const typescript = run(folder, 'openapi', 'api.ts')
    expect(typescript.status).toBe(2)
    expect(typescript.stderr).toMatch(/is TypeScript, which this Node does not load|exports no service/)
    write('other.mjs', 'export default function app() {}\n')
    expect(run(folder, 'openapi', 'other.mjs')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('openapi() got no service'),
    })
    expect(run(folder, 'openapi', 'lost.mjs')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no module '),
    })
    expect(run(folder, 'opnapi')).toMatchObject({
      status: 2,
      stderr: '"opnapi" is not a command. Did you mean "openapi"?\n',
    })
    expect(run(folder, '--help').status).toBe(0)
  })
})
