import { expect, it } from 'vitest'
import { expectEqual, show } from '../../src/testing/contract-error.js'

it('a value that JSON lacks is shown, and differs from the expected value', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  expect(show({ pieces: 7n })).toBe('{"pieces":"7n"}')
  expect(show(circular)).toBe('[object Object]')
  expect(() => expectEqual({ pieces: 7n }, { pieces: 7 }, 'the record')).toThrow(
    'Expected the record to be {"pieces":7}, but got {"pieces":"7n"}.',
  )
})
