/**
 * A process that starts eight password hashes: `node busy.mjs`. It then reads a file and resolves a
 * host name, twenty times. After that, it prints how many hashes are done, waits for all hashes,
 * prints the number again, and exits.
 */
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { hashPassword } from '../../../dist/auth/index.js'

let done = 0
const hashes = Array.from({ length: 8 }, async () => {
  // On a busy machine, the queue may refuse the last hashes. Refused hashes count as done.
  const hash = await hashPassword('correct horse battery staple').catch(({ code }) => code)
  done += hash.startsWith('$scrypt$') || hash === 'unavailable' ? 1 : 0
})
for (let n = 0; n < 20; n++) {
  await readFile(new URL(import.meta.url))
  await lookup('localhost')
}
console.log(done)
await Promise.all(hashes)
console.log(done)
