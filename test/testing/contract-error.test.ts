import { expect, it } from 'vitest'
import { expectEqual, show } from '../../src/testing/contract-error.js'

it('show() returns text for a bigint or a circular object, and expectEqual() does not treat 7n as equal to 7', () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  expect(show({ pieces: 7n })).toBe('{"pieces":"7n"}')
  expect(show(circular)).toBe('[object Object]')
  expect(() => expectEqual({ pieces: 7n }, { pieces: 7 }, 'the record')).toThrow(
    'Expected the record to be {"pieces":7}, but got {"pieces":"7n"}.',
  )
})
