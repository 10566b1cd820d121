/** Additional costs around the library, to test that the counts find them. */
import type { RequestListener } from 'node:http'

interface Plant {
  adapter<A extends object>(adapter: A): A
  handler(handler: RequestListener): RequestListener
}

const fields = { a: '', b: '', c: '', d: '', e: '', f: '', g: '', h: '', i: '', j: '' }

const none: Plant = { adapter: (adapter) => adapter, handler: (handler) => handler }

const plants = {
  /** One more synchronous step. */
  'async-step': {
    ...none,
    handler: (handler) => async (req, res) => {
      await undefined
      handler(req, res)
    },
  },
  /** A copy of each record of a page. */
  'record-copy': {
    ...none,
    adapter: (adapter) => {
      const { list } = adapter as unknown as { list(request: unknown, call: unknown): { items: { value: object }[] } }
      const copying = (request: unknown, call: unknown): unknown => {
        const page = list.call(adapter, request, call)
        page.items.forEach(({ value }, at) => {
          copies[at] = { ...value }
        })
        return page
      }
      return { ...adapter, list: copying }
    },
  },
  /** A copy of the headers of a response. */
  'field-copy': {
    ...none,
    handler: (handler) => (req, res) => {
      copies[0] = { ...fields }
      handler(req, res)
    },
  },
} satisfies Record<string, Plant>

/** Kept, because a copy without references may be optimised away. */
const copies: object[] = []

export type PlantName = keyof typeof plants

export const plantOf = (name: PlantName | undefined): Plant => (name === undefined ? none : plants[name])
