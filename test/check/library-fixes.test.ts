/**
 * Reports suggest fixes for services that are built on this library. The fixes name only functions
 * of the public API.
 */
import { expect, it } from 'vitest'
import * as postgres from '../../src/adapters/postgres/index.js'
import * as auth from '../../src/auth/index.js'
import { libraryFixes } from '../../src/check/report/library-fixes.js'
import * as root from '../../src/index.js'
import * as middleware from '../../src/middleware/index.js'

it('each function in a fix is exported, or is a method of an object that an exported function returns', () => {
  const exported = new Set([root, auth, middleware, postgres].flatMap((entry) => Object.keys(entry)))
  const named = Object.values(libraryFixes).flatMap((text) =>
    [...text.matchAll(/`(\w+)\(\)`/g)].map(([, name]) => name ?? ''),
  )
  expect(named.length).toBeGreaterThan(50)
  // `over()` is a method of the object that `recordBody()` returns.
  expect([...new Set(named)].filter((name) => !exported.has(name) && name !== 'over')).toEqual([])
})
