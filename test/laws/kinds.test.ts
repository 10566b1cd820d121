/** The normal forms by which the laws compare values. */
import { describe, expect, it } from 'vitest'
import { type Kind, kinds, meaning } from './kinds.js'

describe('the normal form of a value', () => {
  const timetz = kinds.find(({ name }) => name === 'timetz') as Kind

  it('is the same for an offset with and without minutes, such as +02:00 and +02', () => {
    expect(meaning(timetz, '10:00:00+02')).toBe(meaning(timetz, '10:00:00+02:00'))
    expect(meaning(timetz, '10:00:00-05')).not.toBe(meaning(timetz, '10:00:00-05:30'))
    expect(meaning(timetz, '10:00:00+02')).not.toBe(meaning(timetz, '10:00:00-02'))
  })
})
