import { describe, expect, it } from 'vitest'
import { parseOptions, UsageError } from '../../bench/options.js'
import { serverNames } from '../../bench/servers/index.js'
import { workloadNames } from '../../bench/workloads/index.js'

describe('the options of the benchmark', () => {
  it('default to all workloads, seven rounds of two seconds, and the Node that runs the command', () => {
    expect(parseOptions([], '/here')).toEqual({
      workloads: workloadNames,
      servers: undefined,
      rounds: 7,
      seconds: 2,
      requests: Number.MAX_SAFE_INTEGER,
      node: process.execPath,
      against: undefined,
      tail: false,
      json: undefined,
    })
  })

  it('contain names in the order of --list, and paths resolved from the working directory', () => {
    const args =
      '--workloads page,item --servers fastify,raw --against ../other --node bin/node --json out.json --requests 500'.split(
        ' ',
      )
    expect(parseOptions(args, '/here')).toMatchObject({
      workloads: ['item', 'page'],
      servers: ['raw', 'fastify'],
      against: '/other',
      node: '/here/bin/node',
      json: '/here/out.json',
      requests: 500,
    })
  })

  it('override --quick if they are given explicitly', () => {
    expect(parseOptions(['--quick'], '/')).toMatchObject({ rounds: 3, seconds: 0.3 })
    expect(parseOptions(['--quick', '--rounds', '1'], '/')).toMatchObject({ rounds: 1, seconds: 0.3 })
  })

  it('with --tail, default to rounds of ten seconds, or of one second with --quick', () => {
    expect(parseOptions(['--tail'], '/')).toMatchObject({ tail: true, rounds: 7, seconds: 10 })
    expect(parseOptions(['--tail', '--quick', '--servers', 'express'], '/')).toMatchObject({
      rounds: 3,
      seconds: 1,
      servers: ['express'],
    })
  })

  it('--list prints every server and workload, and --help prints the options', () => {
    const list = parseOptions(['--list'], '/') as string
    for (const name of [...serverNames, ...workloadNames]) expect(list).toContain(`  ${name} `)
    expect(parseOptions(['--help'], '/')).toContain('--against path')
  })

  it.each([
    [['--servers', 'raw,apache'], '--servers has the unknown name "apache"'],
    [['--workloads', ''], '--workloads has the unknown name ""'],
    [['--rounds', '0'], '--rounds is "0". Give an integer from 1'],
    [['--rounds', '1.5'], '--rounds is "1.5"'],
    [['--seconds', ''], '--seconds is ""'],
    [['--seconds', '1', '--requests', '10'], '--seconds or --requests'],
    [['--tail', '--workloads', 'item'], '--tail excludes --workloads'],
    [['--tail', '--requests', '10'], '--tail excludes --requests'],
    [['--quik'], '--quik'],
    [['item'], 'item'],
  ])('are refused with a reason if they are wrong: %j', (args, message) => {
    expect(() => parseOptions(args, '/')).toThrow(UsageError)
    expect(() => parseOptions(args, '/')).toThrow(message)
  })
})
