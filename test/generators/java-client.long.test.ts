/**
 * OpenAPI Generator generates a Java client from the OpenAPI 3.0.3 document of the example. Plain
 * javac compiles the client, which then calls the example.
 */
import { execFile, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openapi } from 'express-rest-conventions/openapi'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openAccess } from '../../examples/pre-piezas/access.js'
import { createService } from '../../examples/pre-piezas/service.js'
import { openStores, type Stores } from '../../examples/pre-piezas/store/stores.js'
import { listen } from '../clauses/fixture.js'
import { freshSchema } from '../servers/databases.js'

// The compiler and the generator are slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const run = promisify(execFile)
/**
 * The generator. Its jar contains the dependencies of the client: Jackson and the Swagger
 * annotations.
 */
const jar = createRequire(import.meta.url).resolve('@openapitools/openapi-generator-cli/bin/openapi-generator.jar')
const sources = fileURLToPath(new URL('java', import.meta.url))
const hasJava = ['java', 'javac'].every((program) => spawnSync(program, ['-version']).status === 0)
if (!hasJava)
  console.warn('No Java client is generated, because java or javac is not installed. Install version 11 or newer.')

/**
 * The options of the generator. For `anyOf` and for a value of any type, this version of the
 * generator refers to types that it does not generate. The options map these types to `Object`.
 */
function generatorOptions(document: string): object {
  const names = new Set(['AnyType'])
  JSON.parse(document, (key, value) => {
    if (key === 'anyOf')
      names.add(
        `anyOf<${value.map(({ $ref, type }: Record<string, string>) => $ref?.split('/').at(-1) ?? type).join(',')}>`,
      )
    return value
  })
  return {
    library: 'native',
    hideGenerationTimestamp: true,
    typeMappings: Object.fromEntries([...names].map((name) => [name, 'Object'])),
  }
}

let home: string
let stores: Stores
let place: Awaited<ReturnType<typeof freshSchema>>
let served: Awaited<ReturnType<typeof listen>>
let token: string

/** Runs a program in the folder of the client. Shows the output if the program fails. */
const inHome = (program: string, args: readonly string[], env: Record<string, string> = {}) =>
  run(program, args, { cwd: home, env: { PATH: process.env.PATH, ...env }, maxBuffer: 2 ** 25 })

/**
 * Copies the test's own Java sources next to the generated ones, and returns the paths of all
 * sources.
 */
function layOutSources(): string[] {
  const nullable = join(home, 'ours', 'nullable')
  mkdirSync(nullable, { recursive: true })
  for (const name of ['JsonNullable', 'JsonNullableModule'])
    copyFileSync(join(sources, `${name}.java.txt`), join(nullable, `${name}.java`))
  copyFileSync(join(sources, 'Main.java.txt'), join(home, 'ours', 'Main.java'))
  return ['client/src/main', 'ours'].flatMap((folder) =>
    readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.java'))
      .map((path) => join(folder, path)),
  )
}

beforeAll(async () => {
  if (!hasJava) return
  place = await freshSchema()
  stores = await openStores({ seedSize: 40, databaseUrl: place.url })
  const access = await openAccess({ publicUser: 'ana', publicPassword: 'piezas' })
  token = access.privateToken()
  const service = createService({ rateLimit: 0 }, { stores, access, counters: { close() {} } })
  served = await listen(service.app)
  home = mkdtempSync(join(tmpdir(), 'java-client-'))
  const info = { title: 'Pre-piezas', version: '1.0.0' }
  const document = JSON.stringify(openapi(service.apis.inside, 'v8', { info, openapi: '3.0.3' }))
  writeFileSync(join(home, 'v8.json'), document)
  writeFileSync(join(home, 'options.json'), JSON.stringify(generatorOptions(document)))
})

afterAll(async () => {
  await served?.close()
  await stores?.close()
  await place?.drop()
  if (home !== undefined) rmSync(home, { recursive: true, force: true })
})

describe.skipIf(!hasJava)('a client that is generated for Java', () => {
  it('is generated from a document in which the generator finds no issues', async () => {
    const { stdout } = await inHome('java', ['-jar', jar, 'validate', '-i', 'v8.json', '--recommend'])
    expect(stdout).toContain('No validation issues detected.')
  })

  it('compiles, lists, creates, reads, changes and deletes', async () => {
    await inHome('java', ['-jar', jar, 'generate', '-g', 'java', '-i', 'v8.json', '-o', 'client', '-c', 'options.json'])
    writeFileSync(join(home, 'sources'), layOutSources().join('\n'))
    await inHome('javac', ['-proc:none', '-nowarn', '-encoding', 'UTF-8', '-d', 'classes', '-cp', jar, '@sources'])
    const { stdout } = await inHome('java', ['-cp', `classes:${jar}`, 'Main'], {
      PORT: new URL(served.origin).port,
      TOKEN: token,
    })
    expect(JSON.parse(stdout)).toEqual({
      list: [3, true, true],
      filter: true,
      wrong: [400, 'invalid-query', 'limit'],
      created: ['L-1', 'Ana', null, 1.5],
      read: 'S-1',
      unchanged: [304],
      changed: ['L-2', 'ana@example.com', 'Ana'],
      stale: [412, 'stale', null],
      absent: [404, 'absent', null],
    })
  })
})
