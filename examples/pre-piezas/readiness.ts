/** Whether this process can do its work: for whoever sends it requests. */
import type { RequestHandler } from 'express'
import { Unavailable } from 'express-rest-conventions'

/** Milliseconds for which an answer holds, whoever asks. */
const held = 1_000

/** Milliseconds that `ask` may take. */
const patience = 2_000

/**
 * 204 where `ask` resolves, else a 503 problem. What was checked at start, such as the tables, is not checked again.
 *
 * @example app.get('/ready', readiness(stores.ask))
 */
export function readiness(ask: () => Promise<void>): RequestHandler {
  let asked = Number.NEGATIVE_INFINITY
  let answer: Promise<void> = Promise.resolve()
  return async (_req, res) => {
    if (performance.now() - asked >= held) {
      asked = performance.now()
      answer = inTime(ask())
    }
    try {
      await answer
    } catch (cause) {
      throw new Unavailable({ detail: 'The database does not answer.', cause })
    }
    res.status(204).set('Cache-Control', 'no-store').end()
  }
}

function inTime(work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No answer within ${patience} ms.`)), patience)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
