/**
 * Outlives the process that started a private server, and stops that server when the process ends
 * in any way, including Ctrl-C and `kill -9`. Its standard input is a pipe from that process; each
 * line is the id of the server that runs now, or 0. When the pipe closes it kills that server and
 * removes the folder in its argument.
 */
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const [, , folder] = process.argv
let server = 0
for await (const line of createInterface({ input: process.stdin })) server = Number(line)

if (server > 0) {
  try {
    process.kill(server, 'SIGQUIT')
    for (let tries = 0; tries < 100; tries++) {
      process.kill(server, 0)
      await sleep(50)
    }
    process.kill(server, 'SIGKILL')
  } catch {
    // It has ended.
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
