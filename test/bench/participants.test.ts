import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { selectParticipants, thoseOf } from '../../bench/run/participants.js'
import { serverNames } from '../../bench/servers/index.js'
import { type WorkloadName, workloadOf } from '../../bench/workloads/index.js'

const scratch = mkdtempSync(join(tmpdir(), 'erc-bench-'))
const [whole, old] = [join(scratch, 'whole'), join(scratch, 'old')]

beforeAll(() => {
  mkdirSync(join(whole, 'dist/server'), { recursive: true })
  writeFileSync(join(whole, 'dist/server/index.js'), '')
})
afterAll(() => rmSync(scratch, { recursive: true }))

const ids = (field: ReturnType<typeof selectParticipants>): string[] => field.participants.map(({ id }) => id)

describe('the participants of a benchmark', () => {
  it('are all servers by default', () => {
    expect(ids(selectParticipants({ servers: undefined, against: undefined }, whole))).toEqual(serverNames)
  })

  it('exclude servers that need express-rest-conventions/server if the checkout lacks it; a message says why', () => {
    const field = selectParticipants({ servers: undefined, against: undefined }, old)
    const onHelper = ['sql-json', 'mounted-subscribed']
    expect(ids(field)).toEqual(serverNames.filter((name) => !name.endsWith('-helper') && !onHelper.includes(name)))
    expect(field.leftOut).toEqual([
      'Skipped: express-helper, sql-json, mounted-helper, mounted-subscribed, api-helper, because this checkout ' +
        'has no express-rest-conventions/server.',
    ])
  })

  it('with two checkouts, are the servers that use the library, once for each checkout that can start them', () => {
    const field = selectParticipants({ servers: undefined, against: old }, whole)
    expect(ids(field)).toEqual([
      'express-helper',
      'sql-json',
      'mounted',
      'mounted@against',
      'mounted-helper',
      'mounted-subscribed',
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
      whole,
      old,
      whole,
    ])
    expect(field.leftOut[0]).toContain('the other checkout has no')
  })

  it('with two checkouts, exclude the servers that do not use the library, unless --servers names them', () => {
    expect(ids(selectParticipants({ servers: ['raw', 'api'], against: old }, whole))).toEqual([
      'raw',
      'api',
      'api@against',
    ])
  })

  it('exclude the servers that do not support the workload', () => {
    const { participants } = selectParticipants({ servers: ['raw', 'express'], against: undefined }, whole)
    expect(thoseOf(workloadOf('xml-page'), participants).map(({ id }) => id)).toEqual(['express'])
  })

  it('include a server such as sql-json only for the workloads that list it', () => {
    const { participants } = selectParticipants({ servers: ['express', 'sql-json'], against: undefined }, whole)
    const idsOf = (name: WorkloadName) => thoseOf(workloadOf(name), participants).map(({ id }) => id)
    expect([idsOf('item'), idsOf('pg-item')]).toEqual([['express'], ['express', 'sql-json']])
  })
})
