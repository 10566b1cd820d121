import { expect, it, vi } from 'vitest'
import { inTurn } from '../../../src/auth/login/hashing-queue.js'

it('AUTH-6: who has left when the turn comes is passed over, and the next one is served', async () => {
  const ends: (() => void)[] = []
  const busy = [1, 2].map(() => inTurn(() => new Promise<void>((resolve) => void ends.push(resolve))))
  const work = vi.fn(async () => 'done')
  let gone = false
  const left = inTurn(work, () => gone)
  const stays = inTurn(work)
  gone = true
  ends[0]?.()
  await expect(left).rejects.toMatchObject({ status: 400 })
  expect(await stays).toBe('done')
  expect(work).toHaveBeenCalledTimes(1)
  ends[1]?.()
  await Promise.all(busy)
})
