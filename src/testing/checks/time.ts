/** Checks of `ready()`, of aborted calls, and of the time that a call has left. */
import { type Check, upTo } from '../check.js'
import { ContractError, expectEqual, expectThat } from '../contract-error.js'
import type { By, Stage } from '../stage.js'

/**
 * Accepts any result or error of a call. Throws only if the call violates the contract, for example
 * because it does not settle within the timeout.
 */
async function answersOrFails(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (error instanceof ContractError) throw error
  }
}

async function expectWell(stage: Stage): Promise<void> {
  stage.expectValue(await stage.read(stage.key(stage.record())), stage.record(), 'the result of the next read')
  await stage.list({ size: 3 })
}

export const time: readonly Check[] = [
  {
    id: 'time/ready',
    title: 'If the store works, neither the first nor the second call of ready() throws.',
    on: 'any',
    async run(stage) {
      await stage.adapter.ready?.()
      await stage.adapter.ready?.()
      await expectWell(stage)
    },
  },
  {
    id: 'time/aborted',
    title: 'A read or list with an aborted signal returns or throws but does not hang, and the next call works.',
    on: 'any',
    async run(stage) {
      const by: By = { call: { signal: AbortSignal.abort() } }
      await answersOrFails(stage.list({}, by))
      await answersOrFails(stage.read(stage.key(stage.record()), by))
      await expectWell(stage)
    },
  },
  {
    id: 'time/given-up',
    title: 'Aborting a read or list midway does not affect other calls.',
    on: 'any',
    async run(stage) {
      for (let round = 0; round < 4; round += 1) {
        const controller = new AbortController()
        const by: By = { call: { signal: controller.signal } }
        const key = stage.key(stage.record())
        const givenUp = [
          stage.list({}, by),
          stage.read(key, by),
          stage.list({ sort: stage.definition.sort[0] ?? '' }, by),
        ].map(answersOrFails)
        const beside = expectWell(stage)
        await Promise.resolve()
        controller.abort()
        await Promise.all([...givenUp, beside])
        await expectWell(stage)
      }
    },
  },
  {
    id: 'time/left',
    title:
      'left() returns the remaining milliseconds. With enough time left, calls succeed. With none left, reads and ' +
      'lists return or throw but do not hang, and the next call works.',
    on: 'any',
    needs: ['create', 'replace', 'remove'],
    async run(stage) {
      const record = stage.fresh()
      const key = stage.key(record)
      for (const left of [30_000, 700_000, Number.POSITIVE_INFINITY]) {
        const by: By = { call: { left: () => left } }
        stage.expectValue(await stage.mustCreate(record, by), record, `the result of create() with ${left} ms left`)
        stage.expectValue(await stage.read(key, by), record, `the result of read() with ${left} ms left`)
        const { version } = await stage.mustReplace(key, stage.change(record, 1), undefined, by)
        await stage.list({}, by)
        expectEqual(await stage.remove(key, version, by), 'removed', `remove() with ${left} ms left`)
      }
      for (const left of [0, -1]) {
        const by: By = { call: { left: () => left } }
        for (const ask of [() => stage.list({}, by), () => stage.read(stage.key(stage.record()), by)])
          await answersOrFails(ask())
        await expectWell(stage)
      }
    },
  },
  {
    id: 'time/given-up-write',
    title: 'An aborted write takes effect completely or not at all. Its result is correct, and the next write works.',
    on: 'any',
    needs: ['replace'],
    async run(stage) {
      const record = stage.record()
      const key = stage.key(record)
      let before = await stage.mustRead(key)
      for (const round of upTo(6)) {
        const controller = new AbortController()
        const next = stage.change(record, round)
        if (round % 2 === 0) controller.abort()
        const answer = stage
          .replace(key, next, undefined, { call: { signal: controller.signal }, peer: 0 })
          .catch((error: unknown) => {
            if (error instanceof ContractError) throw error
          })
        await Promise.resolve()
        controller.abort()
        const answered = await answer
        const stored = await stage.mustRead(key)
        const isWritten = stage.identity(stored.value) === stage.identity(next)
        if (answered !== undefined) expectThat(isWritten, 'replace() to store the record that it returned', stored)
        expectThat(
          isWritten || stored.version === before.version,
          'the new value, or the old value with the old version',
          stored,
        )
        if (isWritten) expectThat(stored.version !== before.version, 'a new version with the new value', stored)
        before = await stage.mustReplace(key, stage.change(record, 100 + round))
      }
    },
  },
]
