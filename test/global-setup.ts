/** Builds the library and the example once, before the tests that look at what is shipped or start the real service. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export default function setup(): void {
  execFileSync('npm', ['run', '--silent', 'prestart'], { cwd: fileURLToPath(new URL('..', import.meta.url)), stdio: 'inherit' })
}
