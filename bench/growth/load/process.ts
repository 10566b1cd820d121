/** The load of the curves in a process of its own: opens what it is told to, runs when it is told to, and closes when it is told to. */
import type { Ran } from '../../load/clocked.js'
import { type Opened, openRound, type Round } from './round.js'

export type ToLoad = { readonly round: Round } | 'go' | 'close'
export type FromLoad = 'ready' | 'closed' | { readonly ran: Ran } | { readonly failed: string }

const tell = (message: FromLoad): void => void process.send?.(message)
let opened: Opened | undefined

process.on('message', async (message: ToLoad) => {
  try {
    if (message === 'close') {
      opened?.close()
      opened = undefined
      tell('closed')
    } else if (message === 'go') {
      if (opened === undefined) throw new Error('There is no connection open.')
      tell({ ran: await opened.run() })
    } else {
      opened = await openRound(message.round)
      tell('ready')
    }
  } catch (error) {
    tell({ failed: (error as Error).stack ?? String(error) })
  }
})

process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
