import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { differenceNames, differences, type Level } from '../../src/contract/findings.js'
import { contractKinds, schemaPlaces } from '../../src/contract/kinds.js'

const page = readFileSync(new URL('../../docs/contract.md', import.meta.url), 'utf8')
const words: Readonly<Record<string, Level>> = { breaks: 'breaking', warning: 'warning', harmless: 'harmless' }

describe('docs/contract.md', () => {
  it('lists each kind of change outside schemas with its level and text, in the same order as in the code', () => {
    const rows = [...page.matchAll(/^\| `([a-z-]+)` \| (breaks|warning|harmless) \| (.+) \|$/gm)].map(
      ([, kind, level = '', text]) => [kind, words[level], text],
    )
    const own = [...contractKinds].filter(
      ([kind]) => !schemaPlaces.some((place) => differenceNames.some((name) => kind === `${place}-${name}`)),
    )
    expect(rows).toEqual(own.map(([kind, { level, text }]) => [kind, level, text]))
  })

  it('lists each difference of schemas with its levels, in the same order as in the code', () => {
    const rows = [
      ...page.matchAll(/^\| `\*-([a-z-]+)` \| (breaks|warning|harmless) \| (breaks|warning|harmless) \|$/gm),
    ]
    expect(rows.map(([, name, sent = '', received = '']) => [name, words[sent], words[received]])).toEqual(
      Object.entries(differences).map(([name, { sent, received }]) => [name, sent, received]),
    )
  })
})
