import { describe, expect, it } from 'vitest'
import { memoryAdapter } from '../../src/adapters/memory/index.js'
import { api, type ConfigurationError, defineResource, mount } from '../../src/index.js'
import { csv } from '../../src/transfer/csv.js'
import { imports, type Transaction } from '../../src/transfer/imports.js'

const define = (collection: string) =>
  defineResource({
    collection,
    key: 'id',
    schema: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } },
  })
const notas = define('notas')
const otras = define('otras')
const reads = { list: () => ({ items: [] }), read: () => [] }
const inTransaction: Transaction = (run) => run({})

function fault(mounted: typeof notas, adapter: object, transaction: Transaction | 'none'): ConfigurationError {
  const entry = imports('importaciones', notas, { description: 'Takes notes.', formats: [csv()], transaction })
  try {
    api({ versions: { v1: [mount(mounted, adapter as never), entry] } })
  } catch (error) {
    return error as ConfigurationError
  }
  throw new Error('It was accepted.')
}

describe('imports() and the mounts of its version', () => {
  it.each([
    ['no mount', otras, memoryAdapter(otras), 'none', 'unresolved-link', 'which is not mounted in the same version'],
    ['another definition', define('notas'), memoryAdapter(notas), 'none', 'unresolved-link', 'another definition'],
    ['an adapter without create()', notas, reads, 'none', 'adapter-incomplete', 'has no create()'],
    ['a transaction without within()', notas, memoryAdapter(notas), inTransaction, 'adapter-incomplete', 'no within()'],
  ] as const)('%s is a configuration error of api()', (_, mounted, adapter, transaction, code, message) => {
    expect(fault(mounted, adapter, transaction)).toMatchObject({ code, message: expect.stringContaining(message) })
  })
})
