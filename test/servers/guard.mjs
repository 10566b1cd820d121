/**
 * Stops a server when the test process that started the server ends in any way, including Ctrl-C
 * and `kill -9`. Then removes the folder that the argument names. Standard input is a pipe from the
 * test process, and closes when the test process ends. Each line of the input is the process id of
 * the server, or 0 if the server does not run.
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
    // The server has ended.
  }
}
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
