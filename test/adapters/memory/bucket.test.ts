import { describe, expect, it } from 'vitest'
import { Bucket } from '../../../src/adapters/memory/bucket.js'
import { entryOf } from '../../../src/adapters/memory/entry.js'
import { orderOf } from '../../../src/adapters/memory/order.js'

const order = (...fields: string[]) =>
  orderOf(
    fields.map((field) => ({
      field: field.replace('-', ''),
      path: [field.replace('-', '')],
      descending: field.startsWith('-'),
    })),
    ['id'],
  )

function filled(): Bucket {
  const bucket = new Bucket()
  for (const id of [3, 1, 2]) bucket.add(entryOf(String(id), { id, a: -id }, 'v'))
  return bucket
}

describe('Bucket', () => {
  it('QUERY-2: caches a sort order after its first use; an order and its reverse share one array', () => {
    const bucket = filled()
    const list = bucket.inOrder(order('a', 'id'))
    expect(list.map(({ id }) => id)).toEqual(['3', '2', '1'])
    expect(bucket.inOrder(order('-a', '-id'))).toBe(list)
    expect(bucket.inOrder(order('a'))).toBe(list)
    expect(bucket.inOrder(order('a', '-id'))).not.toBe(list)
  })

  it('caches 16 sort orders, and then evicts the least recently used one', () => {
    const bucket = filled()
    const [first, second] = [bucket.inOrder(order('f0')), bucket.inOrder(order('f1'))]
    for (let i = 2; i < 16; i++) bucket.inOrder(order(`f${i}`))
    expect(bucket.inOrder(order('f0'))).toBe(first)
    bucket.inOrder(order('f16'))
    expect(bucket.inOrder(order('f0'))).toBe(first)
    expect(bucket.inOrder(order('f1'))).not.toBe(second)
  })

  it('updates its cached sort orders when a record is replaced, added or deleted', () => {
    const bucket = filled()
    const list = bucket.inOrder(order('a'))
    const [entry] = list
    if (entry === undefined) throw new Error('empty')
    const same = entryOf('3', { id: 3, a: -3, b: 1 }, 'w')
    bucket.replace(entry, same)
    expect(list[0]).toBe(same)
    const moved = entryOf('3', { id: 3, a: 9 }, 'x')
    bucket.replace(same, moved)
    bucket.add(entryOf('4', { id: 4, a: 0 }, 'v'))
    expect(list.map(({ id }) => id)).toEqual(['2', '1', '4', '3'])
    bucket.delete(moved)
    bucket.delete(moved)
    expect(list.map(({ id }) => id)).toEqual(['2', '1', '4'])
    expect(bucket.size).toBe(3)
  })
})
