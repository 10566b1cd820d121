import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fieldOf, thoseOf } from '../../bench/run/participants.js'
import { serverNames } from '../../bench/servers/index.js'
import { type WorkloadName, workloadOf } from '../../bench/workloads/index.js'

const scratch = mkdtempSync(join(tmpdir(), 'erc-bench-'))
const [whole, old] = [join(scratch, 'whole'), join(scratch, 'old')]

beforeAll(() => {
  mkdirSync(join(whole, 'dist/server'), { recursive: true })
  writeFileSync(join(whole, 'dist/server/index.js'), '')
})
afterAll(() => rmSync(scratch, { recursive: true }))

const ids = (field: ReturnType<typeof fieldOf>): string[] => field.participants.map(({ id }) => id)

describe('who takes part', () => {
  it('every server, where nothing is said', () => {
    expect(ids(fieldOf({ servers: undefined, against: undefined }, whole))).toEqual(serverNames)
  })

  it('a checkout without express-rest-conventions/server has those that need none, and one line says so', () => {
    const field = fieldOf({ servers: undefined, against: undefined }, old)
    expect(ids(field)).toEqual(serverNames.filter((name) => !name.endsWith('-helper') && name !== 'sql-json'))
    expect(field.leftOut).toEqual([
      'Skipped: express-helper, sql-json, mounted-helper, api-helper, because this checkout has no express-rest-conventions/server.',
    ])
  })

  it('another checkout stands beside this one, server by server, and what is not the library stays away', () => {
    const field = fieldOf({ servers: undefined, against: old }, whole)
    expect(ids(field)).toEqual([
      'express-helper',
      'sql-json',
      'mounted',
      'mounted@against',
      'mounted-helper',
      'api',
      'api@against',
      'api-helper',
    ])
    expect(field.participants.map(({ checkout }) => checkout)).toEqual([
      whole,
      whole,
      whole,
      old,
      whole,
      whole,
      old,
      whole,
    ])
    expect(field.leftOut[0]).toContain('the other checkout has no')
  })

  it('unless it is asked for', () => {
    expect(ids(fieldOf({ servers: ['raw', 'api'], against: old }, whole))).toEqual(['raw', 'api', 'api@against'])
  })

  it('a workload takes those that have it', () => {
    const { participants } = fieldOf({ servers: ['raw', 'express'], against: undefined }, whole)
    expect(thoseOf(workloadOf('xml-page'), participants).map(({ id }) => id)).toEqual(['express'])
  })

  it('a server that has only what names it has nothing else', () => {
    const { participants } = fieldOf({ servers: ['express', 'sql-json'], against: undefined }, whole)
    const idsOf = (name: WorkloadName) => thoseOf(workloadOf(name), participants).map(({ id }) => id)
    expect([idsOf('item'), idsOf('pg-item')]).toEqual([['express'], ['express', 'sql-json']])
  })
})
