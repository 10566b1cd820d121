/** The migration of examples/legacy: what lives from the service goes on living from it at each step. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oldClients, type Step, startStep, steps } from './legacy-steps.js'

it('there is a step 0', () => {
  expect(steps[0]).toBe(0)
})

describe.each(steps)('step %d', (step) => {
  let service: Step
  beforeAll(async () => {
    service = await startStep(step)
  })
  afterAll(() => service.close())

  it.each(Object.keys(oldClients))('%s', async (name) => {
    await oldClients[name]?.(service.base)
  })
})
