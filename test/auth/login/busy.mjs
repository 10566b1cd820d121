/**
 * A process that hashes passwords: `node busy.mjs`. Prints how many of its eight hashes were done
 * after twenty sequential file reads and name look-ups, then how many were done in the end, and
 * exits.
 */
import { lookup } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { hashPassword } from '../../../dist/auth/index.js'

let done = 0
const hashes = Array.from({ length: 8 }, async () => {
  // On a busy machine the last hashes may exceed the queue limit.
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
