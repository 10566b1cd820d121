/**
 * Finds the origin of an error: the first line of its stack that is neither in Node's own code nor
 * in `node_modules`. If there is no such line, the first line that is not in Node's own code.
 */
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const frame = /^ {4}at (?!.*eval at )(?:async )?(?:.*? \()?(\S.*?:\d+:\d+)\)?$/

/**
 * The position in the code at which an error was created, such as `src/orders.js:12:7`. The path is
 * relative to the working directory if the file is below that directory. Returns `undefined` if the
 * stack can't be parsed. A stack begins with the message, which may contain values, so only the
 * lines after the message are used. If the message is not in the stack, no line is used.
 */
export function placeOf({ stack, message }: Error): string | undefined {
  if (typeof stack !== 'string' || typeof message !== 'string') return undefined
  const at = stack.indexOf(message)
  if (at === -1) return undefined
  const places = stack
    .slice(at + message.length)
    .split('\n')
    .flatMap((line) => frame.exec(line)?.[1] ?? [])
    .filter((place) => !place.startsWith('node:'))
  const found = places.find((place) => !/[\\/]node_modules[\\/]/.test(place)) ?? places[0]
  return found === undefined ? undefined : nearby(found)
}

function nearby(place: string): string {
  const path = place.startsWith('file://') ? fileURLToPath(place) : place
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}
