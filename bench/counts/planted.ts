/** Additional costs that are planted around the library, to test that the counts detect them. */
import type { RequestListener } from 'node:http'

interface Plant {
  adapter<A extends object>(adapter: A): A
  handler(handler: RequestListener): RequestListener
}

const fields = { a: '', b: '', c: '', d: '', e: '', f: '', g: '', h: '', i: '', j: '' }

const none: Plant = { adapter: (adapter) => adapter, handler: (handler) => handler }

const plants = {
  /** One more `await` before the handler. */
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
  /** A copy of an object with ten members. */
  'field-copy': {
    ...none,
    handler: (handler) => (req, res) => {
      copies[0] = { ...fields }
      handler(req, res)
    },
  },
} satisfies Record<string, Plant>

/** Keeps references to the copies. Without a reference, a copy might be optimized away. */
const copies: object[] = []

export type PlantName = keyof typeof plants

export const plantOf = (name: PlantName | undefined): Plant => (name === undefined ? none : plants[name])
