/**
 * A shell that stays open, like the terminal of a reader. It keeps its working directory and its
 * variables between calls of `run()`.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'

export interface Shell {
  /** Runs commands, and returns what they print. Rejects if the last command fails. */
  run(commands: string): Promise<string>
  end(): void
}

export function openShell(cwd: string, env: NodeJS.ProcessEnv): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: 'pipe' })
  let errors = ''
  child.stdout.setEncoding('utf8')
  child.stderr.on('data', (chunk) => (errors += chunk))
  const run = (commands: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const mark = randomUUID()
      let output = ''
      const read = (chunk: string): void => {
        output += chunk
        const [, status] = new RegExp(`^${mark} (\\d+)\\n$`, 'm').exec(output) ?? []
        if (status === undefined) return
        child.stdout.off('data', read)
        const printed = output.slice(0, output.lastIndexOf(mark)).replace(/\n$/, '')
        if (status === '0') resolve(printed)
        else reject(new Error(`Status ${status} of: ${commands}\n${printed}\n${errors}`))
      }
      child.stdout.on('data', read)
      child.stdin.write(`${commands}\nprintf '\\n${mark} %s\\n' $?\n`)
    })
  return { run, end: () => void child.kill() }
}
