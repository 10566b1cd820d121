/**
 * The packed tarball in projects that install it: with ES modules, with CommonJS, and with an old
 * and a new version of TypeScript.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { modules, root, unpack } from './packed.js'

// The compiler is slow on a busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let home: string
let files: readonly string[]

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'consumer-'))
  files = unpack(home)
  writeFileSync(join(home, 'package.json'), '{ "name": "consumer", "type": "module" }')
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

const service = `
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: { type: 'object', required: ['codigo'], properties: { codigo: { type: 'string' }, activo: { type: 'boolean' } } },
  filters: { activo: true },
})
const app = express()
app.use(api({ versions: { v1: [mount(contratos, memoryAdapter(contratos, { records: [{ codigo: 'C-1', activo: true }] }))] } }))
app.use(problems())
const server = createServer(app)
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address()
  const answer = await fetch(\`http://127.0.0.1:\${port}/v1/contratos?activo=true\`)
  console.log(answer.status, await answer.text())
  await server.shutdown()
})
`

const compilerOptions = [
  '--noEmit',
  '--strict',
  '--exactOptionalPropertyTypes',
  '--module',
  'nodenext',
  '--target',
  'es2022',
  '--types',
  'node',
]

const run = (file: string, text: string): string => {
  writeFileSync(join(home, file), text)
  return execFileSync(process.execPath, [file], { cwd: home, encoding: 'utf8' }).trim()
}

describe('the packed library', () => {
  it('contains only package.json, license, build, docs, two examples and the pages to which the docs link', () => {
    expect(files).toContain('dist/index.js')
    expect(files).toContain('dist/index.d.ts')
    expect(files).toContain('LICENSE')
    const folders = /^(?:dist|docs|examples\/(?:first-service|tutorial))\//
    const single =
      /^(?:package\.json|LICENSE|(?:README|CHANGELOG|CONTRIBUTING|SECURITY|SUPPORT|examples\/(?:legacy|pre-piezas)\/README)\.md)$/
    expect(files.filter((path) => !folders.test(path) && !single.test(path))).toEqual([])
  })

  it('contains the first example, which runs', async () => {
    const path = join(home, 'package/examples/first-service/service.js')
    const code = readFileSync(path, 'utf8')
    expect(code).toContain('.listen(3000)')
    const report = 'const { port } = this.address(); console.log(port)'
    writeFileSync(path, code.replace('.listen(3000)', `.listen(0, '127.0.0.1', function () { ${report} })`))
    const child = spawn(process.execPath, [path], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void child.kill())
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const answer = await fetch(`http://127.0.0.1:${String(port).trim()}/v1/sucursales?offset=2`)
    expect(answer.status).toBe(400)
    expect(await answer.text()).toContain('Did you mean \\"offest\\"?')
  })

  it('works as an ES module', () => {
    const imports =
      `import express from 'express'\nimport { api, defineResource, mount, problems } from ` +
      `'express-rest-conventions'\nimport { memoryAdapter } from 'express-rest-conventions/memory'\nimport { ` +
      `createServer } from 'express-rest-conventions/server'\n`
    expect(run('service.mjs', imports + service)).toBe('200 [{"codigo":"C-1","activo":true}]')
  })

  it('works in a CommonJS module, where require() loads the ES module', () => {
    const requires =
      `const express = require('express')\nconst { api, defineResource, mount, problems } = ` +
      `require('express-rest-conventions')\nconst { memoryAdapter } = ` +
      `require('express-rest-conventions/memory')\nconst { createServer } = ` +
      `require('express-rest-conventions/server')\n`
    expect(run('service.cjs', requires + service)).toBe('200 [{"codigo":"C-1","activo":true}]')
  })

  it('docsPages() names the missing optional package that it needs', () => {
    const bare = mkdtempSync(join(tmpdir(), 'consumer-bare-'))
    onTestFinished(() => rmSync(bare, { recursive: true, force: true }))
    mkdirSync(join(bare, 'node_modules'))
    const optional = ['markdown-it', 'swagger-ui-dist']
    for (const name of readdirSync(modules))
      if (!name.startsWith('.') && !optional.includes(name))
        symlinkSync(join(modules, name), join(bare, 'node_modules', name))
    // The package is copied and not linked, because Node would follow the link and find the
    // packages next to its target.
    cpSync(join(home, 'package'), join(bare, 'node_modules', 'express-rest-conventions'), { recursive: true })
    const failure = (): string => {
      const text =
        `import { docsPages } from 'express-rest-conventions/docs'\ntry { docsPages({ console: true }); ` +
        `console.log('made') } catch (error) { console.log(error.name, error.message) }`
      writeFileSync(join(bare, 'pages.mjs'), text)
      return execFileSync(process.execPath, ['pages.mjs'], { cwd: bare, encoding: 'utf8' }).trim()
    }
    expect(failure()).toMatch(
      /^ConfigurationError docsPages\(\) .* markdown-it, which is not installed\. Run npm install markdown-it\./,
    )
    symlinkSync(join(modules, 'markdown-it'), join(bare, 'node_modules', 'markdown-it'))
    expect(failure()).toMatch(
      /^ConfigurationError docsPages\(\) .* swagger-ui-dist, which is not installed\. Run npm i swagger-ui-dist\./,
    )
    symlinkSync(join(modules, 'swagger-ui-dist'), join(bare, 'node_modules', 'swagger-ui-dist'))
    expect(failure()).toBe('made')
  })

  it.each([
    ['7', 'typescript'],
    ['5.4', 'typescript54'],
  ])('type-checks for a consumer on TypeScript %s, and reports a misspelt filter', (_, compiler) => {
    const good = `
import express from 'express'
import { api, defineResource, mount, problems } from 'express-rest-conventions'
import { listQuery, versions } from 'express-rest-conventions/middleware'
import { memoryAdapter } from 'express-rest-conventions/memory'
import { createServer, type GracefulServer, probes, type ProbesMiddleware, type ProbesOptions, type ServerOptions } from 'express-rest-conventions/server'
import type { Server } from 'node:https'
const contratos = defineResource({
  collection: 'contratos',
  key: 'codigo',
  schema: { type: 'object', required: ['codigo'], properties: { codigo: { type: 'string' }, activo: { type: 'boolean' } } },
  filters: { activo: true },
  sort: ['codigo'],
})
const app = express()
const options: ServerOptions = { grace: 5_000, node: { noDelay: true } }
export const servers: readonly GracefulServer[] = [createServer(app, options), createServer((_req, res) => { res.end() })]
export const secure: GracefulServer<Server> = createServer(app, { tls: { SNICallback: (_name, done) => done(null) } })
secure.setSecureContext({})
export const destroyed: Promise<number> = secure.shutdown({ drain: 0, grace: 0 }).then((report) => report.destroyed)
const probing: ProbesOptions = { check: (signal) => fetch('http://x', { signal }), server: secure }
export const listener: ProbesMiddleware = probes(probing)
app.use(probes())
createServer(listener)
const query = listQuery(contratos)
app.get('/contratos', query, (req, res) => { res.json(query.of(req).where) })
app.use(versions({ v1: express.Router(), v0: 'retired' }))
app.use(api({ versions: { v1: [mount(contratos, memoryAdapter(contratos, { records: [{ codigo: 'C-1', activo: true }] }))] } }))
app.use(problems())
`
    writeFileSync(join(home, 'good.ts'), good)
    const bad = good.replace('filters: { activo: true }', 'filters: { actvo: true }')
    writeFileSync(join(home, 'bad.ts'), bad)
    const check = (file: string) =>
      spawnSync(process.execPath, [join(modules, compiler, 'bin', 'tsc'), ...compilerOptions, file], {
        cwd: home,
        encoding: 'utf8',
      })
    expect(check('good.ts').stdout).toBe('')
    // The only error is at the misspelt name.
    const lines = bad.slice(0, bad.indexOf('actvo')).split('\n')
    const place = `bad.ts(${lines.length},${(lines.at(-1) ?? '').length + 1})`
    expect(check('bad.ts').stdout.match(/^\S+: error/gm)).toEqual([`${place}: error`])
  })

  it('has declarations that compile with the newest types of Node', () => {
    const place = join(home, 'newest')
    mkdirSync(join(place, 'node_modules', '@types'), { recursive: true })
    // The package is copied, so that the compiler finds only the newest types of Node.
    cpSync(join(home, 'package'), join(place, 'node_modules', 'express-rest-conventions'), { recursive: true })
    symlinkSync(join(modules, 'types-node-newest'), join(place, 'node_modules', '@types', 'node'))
    const text = `
import { type Permission, bearer, jwks, login, scopePermission, tokenIssuer } from 'express-rest-conventions/auth'
import { rateLimit } from 'express-rest-conventions/middleware'
import { createServer } from 'express-rest-conventions/server'
interface Key { kty?: string; kid?: string }
export const ended = createServer((_req, res) => { res.end() }, { tls: {} }).listen(0)
export const made = [login, rateLimit, scopePermission, tokenIssuer]
export const rule: Permission<{ admin: boolean }> = ({ admin }) => (admin ? 'allow' : 'forbidden')
export const who = bearer({ keys: jwks(async () => ({ keys: [] as Key[] })), audience: 'courier' })
`
    writeFileSync(join(place, 'package.json'), '{ "name": "newest", "type": "module" }')
    writeFileSync(join(place, 'good.ts'), text)
    writeFileSync(join(place, 'bad.ts'), `${text}\nbearer({ keys: { algorithm: 'HS256', key: 42 } })\n`)
    const check = (file: string) =>
      spawnSync(process.execPath, [join(modules, 'typescript', 'bin', 'tsc'), ...compilerOptions, file], {
        cwd: place,
        encoding: 'utf8',
      })
    expect(check('good.ts').stdout).toBe('')
    expect(check('bad.ts').stdout).toMatch(/^bad\.ts.*error TS/m)
  })

  it('accepts any object with query() as an SQL client, and runs its adapter suite without a test framework', () => {
    const text = `
import { defineResource } from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'
import { postgresAdapter, tableDdl } from 'express-rest-conventions/postgres'
import { adapterSuite } from 'express-rest-conventions/testing'
const suite = adapterSuite(({ definition, records }) => memoryAdapter(definition, { records, idempotency: true }))
for (const check of suite) await check.run()
const cosas = defineResource({ collection: 'cosas', key: 'id', schema: { type: 'object', properties: { id: { type: 'integer' } } } })
console.log(suite.length > 100, tableDdl(cosas, { table: 'cosas' }).includes('CREATE TABLE'), typeof postgresAdapter({ query: async () => ({ rows: [] }) }, { table: 'cosas' }).bind)
`
    expect(run('stores.mjs', text)).toBe('true true function')
  })

  it.each([
    ['7', 'typescript'],
    ['5.4', 'typescript54'],
  ])('gives the records of a table their types, for a consumer on TypeScript %s', (_, compiler) => {
    const good = `
import { PGlite } from '@electric-sql/pglite'
import { defineResource, mount } from 'express-rest-conventions'
import { postgresAdapter } from 'express-rest-conventions/postgres'
import pg from 'pg'
const cosas = defineResource({ collection: 'cosas', key: 'id', schema: { type: 'object', required: ['id', 'nombre'], properties: { id: { type: 'integer' }, nombre: { type: 'string' } } } })
const pool = new pg.Pool()
mount(cosas, postgresAdapter(pool, { table: 'cosas' }))
const columns = { nombre: 'name' } as const
const adapter = postgresAdapter({ read: pool, write: pool }, {
  resource: cosas,
  table: 'cosas',
  columns,
  onUpdate: (value, current) => ({ ...value, nombre: current.nombre }),
  write: async (tx, change) => { await tx.query('SELECT $1', [change.key]) },
})
mount(cosas, adapter)
export async function both(client: pg.PoolClient, db: PGlite): Promise<string | undefined> {
  await db.transaction(async (tx) => adapter.within(tx).ready())
  await adapter.within(client).ready()
  const call = { principal: undefined, scope: {}, requestId: '', signal: new AbortController().signal }
  const [found] = await postgresAdapter(db, { resource: cosas, table: 'cosas' }).read([1], call)
  return found?.value.nombre
}
`
    writeFileSync(join(home, 'tables.ts'), good)
    writeFileSync(join(home, 'misspelt.ts'), good.replace('nombre: current.nombre', 'nombre: current.nmbre'))
    // `--skipLibCheck` is set, because the declarations of the drivers need other type packages or
    // a newer compiler. The tests above check the declarations of the package.
    const check = (file: string) =>
      spawnSync(process.execPath, [join(modules, compiler, 'bin', 'tsc'), ...compilerOptions, '--skipLibCheck', file], {
        cwd: home,
        encoding: 'utf8',
      })
    expect(check('tables.ts').stdout).toBe('')
    expect(check('misspelt.ts').stdout).toMatch(/nmbre/)
  })

  it.each([
    ['7', 'typescript'],
    ['5.4', 'typescript54'],
  ])('compiles a service on TypeScript %s with the tsconfig.json of docs/commonjs.md', (_, compiler) => {
    const [, config = ''] = /```json\n([^`]+)```/.exec(readFileSync(join(root, 'docs/commonjs.md'), 'utf8')) ?? []
    const place = join(home, `modules-${compiler}`)
    mkdirSync(join(place, 'src'), { recursive: true })
    writeFileSync(join(place, 'package.json'), '{ "name": "service", "type": "module" }')
    // TypeScript 5.4 can't read the type declarations of newer packages.
    const settings = JSON.parse(config)
    if (compiler !== 'typescript') settings.compilerOptions.skipLibCheck = true
    writeFileSync(join(place, 'tsconfig.json'), JSON.stringify(settings))
    writeFileSync(
      join(place, 'src/orders.ts'),
      `import { api } from 'express-rest-conventions'\nexport const orders = api({ versions: { v1: [] } })\n`,
    )
    writeFileSync(
      join(place, 'src/service.ts'),
      `import express from 'express'\nimport { orders } from './orders.js'\nconsole.log(typeof express().use(orders))\n`,
    )
    const { stdout } = spawnSync(process.execPath, [join(modules, compiler, 'bin', 'tsc'), '-p', '.'], {
      cwd: place,
      encoding: 'utf8',
    })
    expect(stdout).toBe('')
    expect(execFileSync(process.execPath, [join(place, 'dist/service.js')], { encoding: 'utf8' })).toBe('function\n')
  })

  describe('in a CommonJS service (docs/commonjs.md)', () => {
    const names = ['auth', 'docs', 'memory', 'middleware', 'postgres', 'server', 'testing', 'transfer', 'usage']
    const sources = {
      'import.ts':
        `import { api } from 'express-rest-conventions'\nimport { memoryAdapter } from ` +
        `'express-rest-conventions/memory'\n`,
      'require.ts':
        `import conventions = require('express-rest-conventions')\nimport memory = ` +
        `require('express-rest-conventions/memory')\nconst { api } = conventions\nconst { memoryAdapter } = memory\n`,
    }
    // Shows that `api` has the library's types. If `api` had the type `any`, the last line would
    // have no error, and `@ts-expect-error` would fail.
    const use =
      'console.log(typeof api({ versions: { v1: [] } }), typeof memoryAdapter)\n// @ts-expect-error: no ' +
      'option\nexport const made = () => api({ version: {} })\n'
    const every = names.map((name) => `export * as ${name} from 'express-rest-conventions/${name}'\n`).join('')

    /**
     * Compiles a project for each of the compiler settings, all in one process. Returns the
     * diagnostics.
     */
    const build = (compiler: string, settings: Readonly<Record<string, object>>): string => {
      for (const [name, compilerOptions] of Object.entries(settings)) {
        const place = join(home, compiler, name)
        mkdirSync(place, { recursive: true })
        writeFileSync(join(place, 'package.json'), '{ "name": "service", "type": "commonjs" }')
        for (const [file, text] of Object.entries(sources)) writeFileSync(join(place, file), text + use)
        writeFileSync(join(place, 'every.ts'), every)
        const all = { strict: true, skipLibCheck: true, target: 'es2022', types: ['node'], ...compilerOptions }
        writeFileSync(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions: all, include: ['*.ts'] }))
      }
      const tsc = join(modules, compiler, 'bin', 'tsc')
      return spawnSync(process.execPath, [tsc, '-b', ...Object.keys(settings)], {
        cwd: join(home, compiler),
        encoding: 'utf8',
      }).stdout
    }

    it.each([
      [
        '7',
        'typescript',
        {
          node20: { module: 'node20' },
          nodenext: { module: 'nodenext' },
          bundler: { module: 'commonjs', moduleResolution: 'bundler' },
        },
      ],
      ['5.4', 'typescript54', { node10: { module: 'commonjs', moduleResolution: 'node10' } }],
    ])(
      'compiles and runs with the documented settings of TypeScript %s, with import and with require()',
      (_, compiler, settings) => {
        expect(build(compiler, settings)).toBe('')
        for (const name of Object.keys(settings)) {
          for (const file of ['import.js', 'require.js']) {
            const text = execFileSync(process.execPath, [join(home, compiler, name, file)], { encoding: 'utf8' })
            expect([name, file, text]).toEqual([name, file, 'function function\n'])
          }
        }
      },
    )

    it.each([
      ['7', 'typescript', { node16: { module: 'node16' }, node18: { module: 'node18' } }],
      ['5.4', 'typescript54', { node16: { module: 'node16' }, nodenext: { module: 'nodenext' } }],
    ])(
      'does not compile with other settings of TypeScript %s, and the messages are the documented ones',
      (_, compiler, settings) => {
        const said = build(compiler, settings)
        const [, shown = ''] = /```text\n([^`]+)```/.exec(readFileSync(join(root, 'docs/commonjs.md'), 'utf8')) ?? []
        expect(shown.trim().split('\n')).toHaveLength(2)
        for (const message of shown.trim().split('\n')) {
          for (const name of Object.keys(settings)) {
            const own = said
              .split('\n')
              .filter((line) => line.includes(`${name}/`))
              .join('\n')
            expect(own, name).toContain(message)
          }
        }
      },
    )
  })

  it('has declarations that do not import Express types', () => {
    for (const path of files.filter((name) => name.endsWith('.d.ts'))) {
      expect(execFileSync('cat', [join(home, 'package', path)], { encoding: 'utf8' }), path).not.toMatch(
        /from 'express'|types\/express/,
      )
    }
  })
})
