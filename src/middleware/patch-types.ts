/** The media types of a PATCH (VERB-5, RFC 5789). */
import type { IncomingMessage } from 'node:http'
import { parseMediaType } from '../http/media-type.js'
import { HttpProblem } from '../problem.js'
import { mediaType } from '../wire.js'
import { bodyTypes } from './body.js'

/**
 * The media types that a PATCH of an item accepts: those of `bodyTypes.patch`, and JSON Patch if
 * the service enables it.
 */
export const patchTypes = (jsonPatch: boolean): readonly string[] =>
  jsonPatch ? [...bodyTypes.patch, mediaType.jsonPatch] : bodyTypes.patch

/** Whether the body is declared as a JSON Patch (RFC 6902). */
export const isJsonPatch = ({ headers }: IncomingMessage): boolean =>
  parseMediaType(headers['content-type'] ?? '')?.type === mediaType.jsonPatch

/**
 * The 403 for a JSON Patch from a caller who may not read the item. The success or failure of the
 * operations in a JSON Patch would reveal the current values. Such a caller must send a merge
 * patch, which contains only new values (AUTH-4).
 */
export const unreadablePatch = (): HttpProblem =>
  new HttpProblem('forbidden', {
    detail:
      'A JSON Patch depends on the current values, which you have no permission to read. Send ' +
      `${mediaType.mergePatch}.`,
  })
