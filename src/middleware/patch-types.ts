/** The media types of a PATCH (VERB-5, RFC 5789). */
import type { IncomingMessage } from 'node:http'
import { parseMediaType } from '../http/media-type.js'
import { HttpProblem } from '../problem.js'
import { mediaType } from '../wire.js'
import { bodyTypes } from './body.js'

/** What a PATCH of an item is understood in: merge patches, and JSON Patch where a service turns it on. */
export const patchTypes = (jsonPatch: boolean): readonly string[] =>
  jsonPatch ? [...bodyTypes.patch, mediaType.jsonPatch] : bodyTypes.patch

/** True where the body says that it is a JSON Patch (RFC 6902). */
export const isJsonPatch = ({ headers }: IncomingMessage): boolean =>
  parseMediaType(headers['content-type'] ?? '')?.type === mediaType.jsonPatch

/** What operations can be done, and which not, tells what is there: whoever may not read it sends a merge patch, which says what shall be (AUTH-4). */
export const unseenPatch = (): HttpProblem =>
  new HttpProblem('forbidden', {
    detail: `A JSON Patch goes by what stands there, which you have no permission to read. Send ${mediaType.mergePatch}.`,
  })
