/** The search rank of a record in a plain adapter. */
import type { Row } from '../../src/testing/index.js'

export const searchWords = (search: string): readonly string[] =>
  search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

/** How often the words occur in `label` and `note` together; 0 if one of the words is missing. */
export function rankOf(words: readonly string[], { label, note }: Row): number {
  const text = `${String(label)} ${String(note)}`.toLowerCase()
  const counts = words.map((word) => text.split(word).length - 1)
  return counts.includes(0) ? 0 : counts.reduce((sum, count) => sum + count, 0)
}
