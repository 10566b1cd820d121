/** Reads docs/tutorial.md: its steps, and the code blocks of each step. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './packed.js'

export interface Block {
  readonly language: string
  readonly text: string
}

export interface Step {
  readonly title: string
  readonly blocks: readonly Block[]
}

const page = readFileSync(join(root, 'docs/tutorial.md'), 'utf8')

/** The numbered sections, in order. `rewrite` adapts the text of each block to the test. */
export const stepsOf = (rewrite: (text: string) => string): readonly Step[] =>
  page
    .split(/^## /m)
    .filter((section) => /^\d+\. /.test(section))
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      blocks: [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
        language,
        text: rewrite(text),
      })),
    }))

/** The file name of a block, if its first line is a comment with the name. */
export const fileNameOf = ({ text }: Block): string | undefined => /^\/\/ (\S+\.js)\n/.exec(text)?.[1]

export interface Answer {
  readonly status: string
  readonly fields: ReadonlyMap<string, string>
  readonly body: unknown
}

/** Parses the output of `curl -i`, or a block that shows such output. */
export function answerOf(text: string): Answer {
  const [head = '', ...rest] = text.replaceAll('\r\n', '\n').trim().split('\n\n')
  const [status = '', ...lines] = head.split('\n')
  const fields = lines.map(
    (line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)] as const,
  )
  const body = rest.join('\n\n')
  return { status, fields: new Map(fields), body: body === '' ? undefined : JSON.parse(body) }
}

/** Replaces the values that differ between runs: entity tags and times. */
export const withoutRun = (text: string): string =>
  text.replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"(time)"').replace(/^(etag): ".+"$/gim, '$1: (tag)')
