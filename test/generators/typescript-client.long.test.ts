/**
 * openapi-typescript and openapi-fetch generate a strict TypeScript client from the OpenAPI
 * documents that the example serves. The client then calls the example.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { openStores, type Stores } from '../../examples/pre-piezas/store/stores.js'
import { listen } from '../clauses/fixture.js'
import { freshSchema } from '../servers/databases.js'

// The compiler and the generator are slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
const password = 'piezas'

/**
 * The script that runs the generator. With `defaultNonNullable: false`, requests may omit a member
 * that has a default; without this option, the generator makes the member required. The generator
 * uses the compiler API of TypeScript 5, which TypeScript 7 does not have. The hook makes the
 * generator use TypeScript 5.4, which the tests of the library's types also use.
 */
const generator = `
import { register } from 'node:module'
const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? 'typescript54' : name, context)"
register('data:text/javascript,' + encodeURIComponent(hook))
const { default: generate, astToString } = await import('openapi-typescript')
const { writeFileSync } = await import('node:fs')
for (const [name, address] of JSON.parse(process.argv[2])) {
  const document = await (await fetch(address)).json()
  writeFileSync(new URL('./' + name + '.ts', import.meta.url), astToString(await generate(document, { defaultNonNullable: false })))
}
`

let home: string
let stores: Stores
let place: Awaited<ReturnType<typeof freshSchema>>
let served: Awaited<ReturnType<typeof listen>>
let token: string

beforeAll(async () => {
  place = await freshSchema()
  stores = await openStores({ seedSize: 40, databaseUrl: place.url })
  const access = await openAccess({ publicUser: 'ana', publicPassword: password })
  token = access.privateToken()
  served = await listen(createService({ rateLimit: 0 }, { stores, access, counters: { close() {} } }).app)
  home = mkdtempSync(join(tmpdir(), 'client-'))
  symlinkSync(modules, join(home, 'node_modules'))
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(home, 'generate.mjs'), generator)
  copyFileSync(new URL('client.ts.txt', import.meta.url), join(home, 'client.ts'))
  const documents = [
    ['inside', `${served.origin}/v8/openapi`],
    ['outside', `${served.origin}/public/v1/openapi`],
  ]
  await run(process.execPath, [join(home, 'generate.mjs'), JSON.stringify(documents)], { cwd: home })
})

afterAll(async () => {
  await served?.close()
  await stores?.close()
  await place?.drop()
  if (home !== undefined) rmSync(home, { recursive: true, force: true })
})

const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']

describe('a client that is generated for TypeScript', () => {
  it('compiles under strict options, and rejects requests that the service would refuse', async () => {
    const target = ['--module', 'nodenext', '--target', 'es2022', '--lib', 'es2023,dom', '--types', 'node']
    const compiled = await run(
      process.execPath,
      [join(modules, 'typescript/bin/tsc'), ...strict, ...target, 'client.ts'],
      {
        cwd: home,
      },
    ).catch((error: { stdout: string }) => error)
    expect(compiled.stdout).toBe('')
  })

  it('lists, creates, reads, changes, deletes and logs in', async () => {
    const env = { PATH: process.env.PATH, BASE: served.origin, TOKEN: token, PASSWORD: password }
    const { stdout } = await run(process.execPath, ['client.js'], { cwd: home, env })
    expect(JSON.parse(stdout)).toEqual({
      list: { count: 3, total: true, sorted: true },
      expanded: 'number',
      search: 1,
      wrong: '400 invalid-query limit',
      created: [201, true],
      read: ['L-1', 304],
      merged: ['L-2', 'ana@example.com', 'Ana'],
      stale: '412 stale ',
      patched: 'L-4',
      invalid: ['invalid-body', ['/valorDeclarado minimum']],
      deleted: [204, '404 absent '],
      refused: '401 unauthenticated ',
      public: [true, '401 unauthenticated '],
    })
  })
})
