import { expect, it } from 'vitest'
import { checkService } from '../../src/check/index.js'
import { wanted } from '../../src/check/selection.js'
import { ConfigurationError } from '../../src/problem.js'
import { document } from './twin/document.js'

it('the option "only" selects checks by clause or by id', () => {
  const isWanted = wanted(['QUERY-7', 'HDR-3/stale'])
  const ids = ['QUERY-7/total', 'QUERY-7/past-end', 'HDR-3/stale', 'HDR-3/race', 'QUERY-75/total']
  expect(ids.filter((id) => isWanted({ id }))).toEqual(['QUERY-7/total', 'QUERY-7/past-end', 'HDR-3/stale'])
})

it.each([
  [['QUERY-7/tota'], 'names "QUERY-7/tota", which is not a check. Did you mean "QUERY-7/total"?'],
  [[], 'names no clause and no check'],
])('the option "only" with the value %j is refused before a request is sent', async (only, message) => {
  const checked = checkService({ base: 'http://127.0.0.1:1', target: document, only })
  await expect(checked).rejects.toThrow(`The option "only" of checkService() ${message}`)
  await expect(checked).rejects.toThrow(ConfigurationError)
})
