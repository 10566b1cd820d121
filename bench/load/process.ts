/**
 * The process that generates the load. On a first message, it prepares a round of a workload. It
 * starts the round on a second message, which the parent process sends after it has read the CPU
 * time of the server. With the option `--tail`, a round starts on the first message.
 */
import type { Ran } from './clocked.js'
import { type Round, runRound } from './run.js'
import { runTailRound, type TailRan, type TailRound } from './tail.js'

export type ToLoad = { readonly round: Round } | { readonly tail: TailRound } | 'go'
export type FromLoad = 'ready' | { readonly ran: Ran } | { readonly tailRan: TailRan } | { readonly failed: string }

const post = (message: FromLoad): void => void process.send?.(message)
let go: () => void = () => {}

process.on('message', async (message: ToLoad) => {
  if (message === 'go') return go()
  try {
    if ('tail' in message) return post({ tailRan: await runTailRound(message.tail) })
    const begun = (): Promise<void> =>
      new Promise((resolve) => {
        go = resolve
        post('ready')
      })
    post({ ran: await runRound(message.round, begun) })
  } catch (error) {
    post({ failed: (error as Error).stack ?? String(error) })
  }
})

process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
