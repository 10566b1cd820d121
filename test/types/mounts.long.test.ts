/**
 * The compiler errors for adapters that do not match their definition. The oldest and the newest
 * supported compiler are tested.
 */
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const modules = join(root, 'node_modules')
let home: string

/**
 * The declarations that all cases use: orders, customers with a different type of key, and people
 * with the same type of key as orders.
 */
const declarations = `
import { type Adapter, defineResource, mount, resourceRouter, type UnboundAdapter } from 'express-rest-conventions'
import { memoryAdapter } from 'express-rest-conventions/memory'
import { postgresAdapter } from 'express-rest-conventions/postgres'
interface Customer { code: string; name: string; email: string | null; address: { street: string; city: string } }
declare const pool: { query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }> }
const orders = defineResource({ collection: 'orders', key: 'id', schema: { type: 'object', required: ['id', 'total', 'status'], properties: { id: { type: 'integer' }, total: { type: 'number' }, status: { enum: ['open', 'closed'] }, note: { type: ['string', 'null'] } } } })
const customers = defineResource<Customer>()({ collection: 'customers', key: 'code', schema: {} })
const people = defineResource({ collection: 'people', key: 'id', schema: { type: 'object', required: ['id', 'name'], properties: { id: { type: 'integer' }, name: { type: 'string' } } } })
const codes = defineResource({ collection: 'codes', key: 'code', schema: { type: 'object', required: ['code', 'name', 'email', 'address'], properties: { code: { type: 'integer' }, name: {}, email: {}, address: {} } } })
declare const ofCustomers: Adapter<Customer, string>
declare const boundToCustomers: UnboundAdapter<Customer, string>
declare const byNumber: Adapter<Customer, number>
declare const numbered: Adapter<{ id: number; name: number }, number>
declare const ofUnknown: Adapter<unknown, unknown>
`

const cases = [
  'mount(orders, ofCustomers)',
  'mount(orders, ofUnknown)',
  'mount(orders, boundToCustomers)',
  'mount(orders, memoryAdapter(customers))',
  'mount(orders, memoryAdapter(people))',
  'mount(people, memoryAdapter(orders))',
  "mount(orders, postgresAdapter(pool, { resource: customers, table: 'customers' }))",
  "mount(people, postgresAdapter(pool, { resource: orders, table: 'orders' }))",
  'mount(customers, byNumber)',
  'mount(customers, memoryAdapter(codes))',
  'mount(people, numbered)',
  'resourceRouter(orders, ofCustomers)',
  'resourceRouter(orders, boundToCustomers)',
  'resourceRouter(orders, memoryAdapter(people))',
  "resourceRouter(orders, postgresAdapter(pool, { resource: customers, table: 'customers' }))",
]

/**
 * Errors inside an adapter of the right resource, and values that are not adapters. These errors
 * have the compiler's usual messages.
 */
const details: readonly (readonly [code: string, message: RegExp])[] = [
  ['mount(people, { list: () => ({ items: [] }) })', /'read' is missing/],
  [
    "mount(people, { list: () => ({ items: [{ value: { id: 'a', name: 'b' }, version: '1' }] }), read: () => [] })",
    /TS2322: Type 'string' is not assignable to type 'number'/,
  ],
  [
    'mount(people, { list: () => ({ items: [] }), read: (keys) => keys.map((key) => key.trim()) })',
    /'trim' does not exist on type 'number'/,
  ],
  ['mount(people, undefined)', /'undefined' is not assignable/],
  ['mount(people, 5)', /'(?:number|5)' is not assignable/],
]

const sentence =
  /This adapter (?:belongs to another resource: its (?:records have no \w+|keys have another type)|has records of another type than the definition: see \w+)\./

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'mounts-'))
  mkdirSync(join(home, 'node_modules'))
  symlinkSync(join(modules, '@types'), join(home, 'node_modules', '@types'))
  symlinkSync(root, join(home, 'node_modules', 'express-rest-conventions'))
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }')
  copyFileSync(join(root, 'test/types/mounts.test-d.ts'), join(home, 'mounts.test-d.ts'))
  const all = [...cases, ...details.map(([code]) => code)]
  writeFileSync(join(home, 'wrong.ts'), `${declarations.trim()}\n${all.join('\n')}\n`)
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

function compile(compiler: string, file: string): string {
  const options = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--skipLibCheck',
  ]
  const target = ['--module', 'nodenext', '--target', 'es2022', '--types', 'node', '--pretty', 'false']
  const args = [join(modules, compiler, 'bin/tsc'), ...options, ...target, file]
  return spawnSync(process.execPath, args, { cwd: home, encoding: 'utf8' }).stdout
}

/**
 * The output lines of each diagnostic, by the number of the line that has the error. Line 1 is the
 * first line below the declarations.
 */
function diagnostics(text: string): Map<number, string[]> {
  const above = declarations.trim().split('\n').length
  const found = new Map<number, string[]>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const at = /^wrong\.ts\((\d+),/.exec(line)
    if (at !== null) found.set(Number(at[1]) - above, [line])
    else [...found.values()].at(-1)?.push(line)
  }
  return found
}

describe.each(['typescript54', 'typescript'])('adapters, checked by %s', (compiler) => {
  it('adapters that match the definition compile', () => {
    expect(compile(compiler, 'mounts.test-d.ts')).toBe('')
  })

  it('adapters that do not match get a one-line error; other errors have the compiler’s usual messages', () => {
    const found = diagnostics(compile(compiler, 'wrong.ts'))
    for (const [index, code] of cases.entries()) {
      const lines = found.get(index + 1) ?? []
      expect(lines.length, `${code}\n${lines.join('\n')}`).toBe(1)
      expect(lines[0], code).toMatch(sentence)
    }
    for (const [index, [code, message]] of details.entries())
      expect(found.get(cases.length + index + 1)?.join('\n') ?? '', code).toMatch(message)
  })
})
