/**
 * The process that generates the load for the growth curves of the benchmark. On command, it opens
 * connections, runs a round or closes the connections.
 */
import type { Ran } from '../../load/clocked.js'
import { type Opened, openRound, type Round } from './round.js'

export type ToLoad = { readonly round: Round } | 'go' | 'close'
export type FromLoad = 'ready' | 'closed' | { readonly ran: Ran } | { readonly failed: string }

const post = (message: FromLoad): void => void process.send?.(message)
let opened: Opened | undefined

process.on('message', async (message: ToLoad) => {
  try {
    if (message === 'close') {
      opened?.close()
      opened = undefined
      post('closed')
    } else if (message === 'go') {
      if (opened === undefined) throw new Error('No connection is open.')
      post({ ran: await opened.run() })
    } else {
      opened = await openRound(message.round)
      post('ready')
    }
  } catch (error) {
    post({ failed: (error as Error).stack ?? String(error) })
  }
})

process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit(0))
