import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../../src', import.meta.url))

/**
 * The import matrix: the files and folders that each folder may import. Some files have an entry of
 * their own.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'brand.ts': [],
  'cut-text.ts': [],
  'near-miss.ts': [],
  'configuration-error.ts': ['brand.ts'],
  options: ['configuration-error.ts', 'definition/json.ts', 'near-miss.ts', 'promise.ts', 'timeout.ts'],
  'problem-kinds.ts': [],
  'problem.ts': [
    'brand.ts',
    'configuration-error.ts',
    'definition/json.ts',
    'near-miss.ts',
    'options',
    'problem-kinds.ts',
    'violation.ts',
    'wire.ts',
  ],
  'violation.ts': ['cut-text.ts'],
  'wire.ts': [],
  'promise.ts': [],
  failures: ['brand.ts', 'problem.ts'],
  'notify.ts': [],
  'timeout.ts': [],
  'serial-queue.ts': ['promise.ts'],
  'slices.ts': [],
  'cache.ts': ['telemetry'],
  http: ['problem.ts', 'cache.ts', 'wire.ts'],
  limits: ['adapters/contract.ts', 'definition', 'http', 'problem.ts', 'cache.ts', 'telemetry', 'wire.ts'],
  auth: ['limits', 'cache.ts', 'adapters/contract.ts', 'definition', 'http', 'problem.ts', 'wire.ts'],
  'auth/index.ts': ['auth', 'middleware'],
  server: ['problem.ts', 'wire.ts'],
  telemetry: [],
  conventions: ['clauses.ts', 'definition', 'http', 'limits', 'problem.ts', 'usage', 'wire.ts'],
  observe: [
    'cache.ts',
    'configuration-error.ts',
    'definition',
    'http',
    'middleware',
    'problem.ts',
    'telemetry',
    'usage',
    'wire.ts',
  ],
  'usage/index.ts': ['observe', 'report', 'usage', 'usage/retirements.ts'],
  report: [
    'auth',
    'cache.ts',
    'clauses.ts',
    'docs',
    'http',
    'middleware',
    'problem.ts',
    'representation',
    'usage',
    'wire.ts',
  ],
  usage: ['adapters/contract.ts', 'definition', 'http', 'limits', 'problem.ts', 'telemetry', 'wire.ts'],
  'usage/retirements.ts': ['conventions', 'usage', 'options', 'plan'],
  definition: ['violation.ts', 'adapters/contract.ts', 'http', 'problem.ts', 'wire.ts'],
  'adapters/contract.ts': [],
  'definition/json.ts': ['http'],
  adapters: ['adapters/contract.ts', 'cache.ts', 'definition', 'http', 'problem.ts', 'telemetry'],
  'random.ts': [],
  testing: ['adapters/contract.ts', 'adapters', 'plan', 'definition', 'http', 'problem.ts', 'random.ts', 'wire.ts'],
  check: ['clauses.ts', 'definition', 'docs', 'http', 'observe', 'problem.ts', 'spectral', 'wire.ts'],
  contract: ['definition', 'wire.ts'],
  examples: ['adapters/contract.ts', 'plan', 'definition', 'problem.ts', 'random.ts'],
  mock: [
    'adapters/contract.ts',
    'adapters',
    'examples',
    'router',
    'middleware',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'random.ts',
    'wire.ts',
  ],
  cli: [
    'check',
    'clauses.ts',
    'usage/retirements.ts',
    'report',
    'usage',
    'contract',
    'mock',
    'openapi',
    'server',
    'definition',
    'problem.ts',
  ],
  spectral: ['plan', 'definition', 'problem.ts', 'wire.ts'],
  // `csv-cells.ts` and `csv-rows.ts` have entries of their own, because `openapi` may import them,
  // but not all of `transfer`.
  'transfer/csv-cells.ts': [],
  'transfer/csv-rows.ts': ['transfer', 'problem.ts'],
  transfer: [
    'transfer/csv-cells.ts',
    'transfer/csv-rows.ts',
    'violation.ts',
    'adapters/contract.ts',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'slices.ts',
    'wire.ts',
  ],
  plan: [
    'violation.ts',
    'adapters/contract.ts',
    'auth',
    'conventions',
    'definition',
    'http',
    'problem.ts',
    'cache.ts',
    'wire.ts',
  ],
  representation: [
    'adapters/contract.ts',
    'conventions',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'cache.ts',
    'wire.ts',
  ],
  middleware: [
    'adapters/contract.ts',
    'auth',
    'conventions',
    'limits',
    'cache.ts',
    'representation',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'telemetry',
    'usage',
    'wire.ts',
  ],
  openapi: [
    'adapters/contract.ts',
    'conventions',
    'contract',
    'middleware',
    'representation',
    'transfer/csv-cells.ts',
    'transfer/csv-rows.ts',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'recent-map.ts',
    'violation.ts',
    'wire.ts',
  ],
  'clauses.ts': [],
  docs: [
    'clauses.ts',
    'contract',
    'problem-kinds.ts',
    'openapi',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'wire.ts',
    'examples',
    'random.ts',
  ],
  router: [
    'cache.ts',
    'conventions',
    'violation.ts',
    'adapters/contract.ts',
    'auth',
    'limits',
    'middleware',
    'representation',
    'plan',
    'definition',
    'http',
    'problem.ts',
    'recent-map.ts',
    'slices.ts',
    'telemetry',
    'usage',
    'wire.ts',
  ],
}

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'))

/**
 * The folders that may also import the files and folders in `shared`. `failures`, `options` and the
 * files with an entry of their own are excluded: their entries list all of their imports.
 */
const folders = new Set(
  Object.keys(mayImport).filter((room) => !room.endsWith('.ts') && !['failures', 'options'].includes(room)),
)

/** The files and folders that every folder in `folders` may import. */
const shared: readonly string[] = [
  'brand.ts',
  'cut-text.ts',
  'definition/json.ts',
  'failures',
  'near-miss.ts',
  'notify.ts',
  'options',
  'promise.ts',
  'serial-queue.ts',
  'timeout.ts',
]

const roomOf = (path: string): string => (path in mayImport ? path : (path.split('/')[0] as string))

const importsOf = (path: string): string[] => {
  const text = readFileSync(join(source, path), 'utf8')
  const found = [...text.matchAll(/^(?:import|export)\s[^'"]*?from\s+'([^']+)'/gms)].map(([, name]) => name as string)
  return found
    .filter((name) => name.startsWith('.'))
    .map((name) =>
      relative(source, resolve(join(source, dirname(path)), name))
        .replaceAll('\\', '/')
        .replace(/\.js$/, '.ts'),
    )
}

describe('imports between folders', () => {
  it('are found in the source', () => {
    expect(importsOf('router/walk.ts')).toContain('router/steps/parse.ts')
  })

  it.each(files.filter((path) => path !== 'index.ts'))(
    '%s imports only what its folder is allowed to import',
    (path) => {
      const room = roomOf(path)
      expect(mayImport, `the folder of ${path} is not in the matrix`).toHaveProperty([room])
      const strangers = importsOf(path).filter((target) => {
        const other = roomOf(target)
        return other !== room && !mayImport[room]?.includes(other) && !(folders.has(room) && shared.includes(other))
      })
      expect(strangers).toEqual([])
    },
  )

  it('no file imports index.ts of the library', () => {
    expect(files.filter((path) => importsOf(path).includes('index.ts'))).toEqual([])
  })

  it('the router imports no adapter implementation', () => {
    expect(
      files.filter(
        (path) =>
          path.startsWith('router/') && importsOf(path).some((target) => /^adapters\/(?!contract)/.test(target)),
      ),
    ).toEqual([])
  })

  it('there is no import cycle at run time', () => {
    const done = new Set<string>()
    const cycles: string[] = []
    const walk = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '))
        return
      }
      if (done.has(path)) return
      for (const target of valueImportsOf(path)) walk(target, [...trail, path])
      done.add(path)
    }
    for (const path of files) walk(path, [])
    expect(cycles).toEqual([])
  })
})

/**
 * The imports that exist at run time. Imports of types are left out, because two files may import
 * types from each other.
 */
function valueImportsOf(path: string): string[] {
  const text = readFileSync(join(source, path), 'utf8').replace(/^import type [^'"]*?from\s+'[^']+'/gms, '')
  const typesOnly = /^import\s*\{(?:\s*type\s+[\w$]+(?:\s+as\s+[\w$]+)?,?)+\s*\}\s*from\s+'[^']+'/gms
  const left = text.replace(typesOnly, '')
  return importsOf(path).filter((target) => left.includes(`/${target.split('/').at(-1)?.replace(/\.ts$/, '.js')}'`))
}
