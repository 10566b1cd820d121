/** Tests that docs/check.md lists all checks. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { attemptChecks } from '../../src/check/checks/attempts.js'
import { judgeAnswers } from '../../src/check/checks/every-answer.js'
import { listChecks } from '../../src/check/checks/index.js'
import { serviceChecks } from '../../src/check/checks/service-checks.js'
import { allWriteChecks, disposableChecks, publicChecks } from '../../src/check/write/index.js'
import { clauses } from '../../src/clauses.js'
import { readFaults, writeFaults } from './twin/faults.js'

const page = readFileSync(new URL('../../docs/check.md', import.meta.url), 'utf8')
const every = judgeAnswers([]).map(({ check, rule }) => ({ id: check, rule }))
const checks = [
  ...serviceChecks,
  ...listChecks,
  ...every,
  ...allWriteChecks,
  ...publicChecks,
  ...disposableChecks,
  ...attemptChecks,
].map(({ id, rule }) => ({
  id,
  rule,
}))

it('docs/check.md has a row for each check, with the rule of the check, in the order of the checks', () => {
  const rows = [...page.matchAll(/^\| `([A-Z]+-\d+\/[\w-]+)` \| (.*) \|$/gm)].map(([, id, rule]) => ({ id, rule }))
  expect(rows).toEqual(checks)
})

it('the id of each check is unique and begins with a clause id', () => {
  expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length)
  expect(checks.filter(({ id }) => !((id.split('/')[0] ?? '') in clauses))).toEqual([])
})

it('each clause with checks, except REP-3, is violated by a fault of the twin (the hand-written service)', () => {
  const broken: readonly string[] = Object.values({ ...readFaults, ...writeFaults })
  const lacking = checks.map(({ id }) => id.split('/')[0] as string).filter((clause) => !broken.includes(clause))
  // REP-3 needs two associations, which the twin lacks. expansions.test.ts tests the check of
  // REP-3.
  expect([...new Set(lacking)].sort()).toEqual(['REP-3'])
})

it('each clause is checked, or docs/check.md says why not', () => {
  const [, section = ''] = page.split('## Clauses without a check\n')
  const [table = ''] = section.split('Some parts')
  const named = [...table.matchAll(/^\| `([A-Z]+-\d+)` \| .{20,} \|$/gm)].map(([, id = '']) => id)
  const checked = new Set(checks.map(({ id }) => id.split('/')[0] as string))
  expect(Object.keys(clauses).filter((id) => !checked.has(id))).toEqual(named)
})
