/** Starts the correct service in Python. The service ends when its standard input is closed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Planted } from './shelf.js'

export async function startPython(planted?: Planted) {
  const file = fileURLToPath(new URL('books.py', import.meta.url))
  const child = spawn('python3', [file, ...(planted === undefined ? [] : [planted])], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const port = await new Promise<string>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new Error(`python3 cannot be started: ${error.message}. Install Python 3.8 or later (apt install python3).`),
      ),
    )
    child.once('exit', (code) => reject(new Error(`The service in Python ended with the exit code ${code}.`)))
    child.stdout.once('data', (text) => resolve(String(text).trim()))
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const ended = once(child, 'exit')
      child.stdin.end()
      await ended
    },
  }
}
