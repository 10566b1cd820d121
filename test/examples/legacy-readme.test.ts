/** The code that the README of examples/legacy shows is also in the files of the example. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { folder } from './legacy-steps.js'

const text = readFileSync(folder('README.md'), 'utf8')
const blocks = [...text.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)].map(([, file = '', code = '']) => ({
  file,
  code,
}))
const links = [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, path = '']) => path)

describe('the README of examples/legacy', () => {
  it('shows code of each of the steps 1 to 7', () => {
    expect(new Set(blocks.map(({ file }) => file[5]))).toEqual(new Set(['1', '2', '3', '4', '5', '6', '7']))
    expect(blocks).toHaveLength([...text.matchAll(/^```js$/gm)].length)
  })

  it.each(blocks)('shows code that $file contains', ({ file, code }) => {
    expect(readFileSync(folder(file), 'utf8')).toContain(code)
  })

  it.each(links)('links to %s, which exists', (path) => {
    expect(existsSync(folder(path))).toBe(true)
  })
})
