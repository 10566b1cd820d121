/** Start, and calls that are given up. */
import type { Check } from '../check.js'
import { ContractError } from '../contract-error.js'
import type { By, Stage } from '../stage.js'

/** An answer or an error is fine, silence is not: only a call that ran out of patience is the adapter's fault. */
async function answersOrFails(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof ContractError) throw error
  }
}

async function expectWell(stage: Stage): Promise<void> {
  stage.expectValue(await stage.read(stage.key(stage.record())), stage.record(), 'what the next read gives')
  await stage.list({ size: 3 })
}

export const time: readonly Check[] = [
  {
    id: 'time/ready',
    title: 'ready() of a store in order does not throw, the second time either.',
    on: 'any',
    needs: [],
    async run(stage) {
      await stage.adapter.ready?.()
      await stage.adapter.ready?.()
      await expectWell(stage)
    },
  },
  {
    id: 'time/aborted',
    title: 'A read or list whose signal has fired already answers or throws; it does not hang, and the next call is well.',
    on: 'any',
    needs: [],
    async run(stage) {
      const by: By = { call: { signal: AbortSignal.abort() } }
      await answersOrFails(stage.list({}, by))
      await answersOrFails(stage.read(stage.key(stage.record()), by))
      await expectWell(stage)
    },
  },
  {
    id: 'time/given-up',
    title: 'A read or list whose signal fires midway disturbs no other call.',
    on: 'any',
    needs: [],
    async run(stage) {
      for (let round = 0; round < 4; round += 1) {
        const controller = new AbortController()
        const by: By = { call: { signal: controller.signal } }
        const key = stage.key(stage.record())
        const givenUp = [stage.list({}, by), stage.read(key, by), stage.list({ sort: stage.definition.sort[0] ?? '' }, by)].map(
          answersOrFails,
        )
        const beside = expectWell(stage)
        await Promise.resolve()
        controller.abort()
        await Promise.all([...givenUp, beside])
        await expectWell(stage)
      }
    },
  },
]
