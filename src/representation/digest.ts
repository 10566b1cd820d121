/** What stands for texts in entity tags (HDR-2). */
import etag from 'etag'

/** The length of a text and 27 characters of its hash: of the `etag` library, without its quotes, in an alphabet without dots and plus signs. */
export const digest = (text: string | Buffer): string => etag(text).slice(1, -1).replaceAll('+', '_').replaceAll('/', '-')
