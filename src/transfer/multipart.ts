/** Extracts the file from a form (RFC 7578). */
import { Busboy } from '@fastify/busboy'
import { HttpProblem } from '../problem.js'

/** The name of the part with the file. */
const partName = 'file'

const incompleteForm = 'The form is incomplete or malformed (RFC 7578).'

export interface FormFile {
  /** The media type that the part declares. The default is `text/plain`. */
  readonly mediaType: string
  readonly bytes: Uint8Array
}

/**
 * The file in a form. The form must have exactly one part, with the name `file`. The client's name
 * for the file is ignored. Rejects with `malformed-body` (400) for any other form.
 */
export function formFile(contentType: string, bytes: Uint8Array): Promise<FormFile> {
  return new Promise((resolve, reject) => {
    const refuse = (detail: string, cause?: unknown): void => {
      const errors = [{ pointer: '', detail, code: 'malformed', clause: 'HDR-5' }]
      reject(new HttpProblem('malformed-body', { detail, errors, ...(cause === undefined ? {} : { cause }) }))
    }
    let form: ReturnType<typeof openForm>
    try {
      form = openForm(contentType)
    } catch (error) {
      refuse('The form has no boundary (RFC 7578).', error)
      return
    }
    let found: FormFile | undefined
    form.on('file', (name, stream, _fileName, encoding, mediaType) => {
      // `Content-Transfer-Encoding` is deprecated (RFC 7578 4.7) and is not decoded here. Without
      // this check, the encoded text would be stored.
      if (/^(?:base64|quoted-printable)$/i.test(encoding))
        refuse(`The part "file" is encoded as ${encoding}. Send it without an encoding.`)
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      // If a part ends too early, its stream emits an error before the form does.
      stream.on('error', (error) => refuse(incompleteForm, error))
      stream.on('end', () => {
        if (name === partName) found = { mediaType: mediaType.toLowerCase(), bytes: Buffer.concat(chunks) }
        else refuse(`A part is named ${shown(name)}. Send one part, named "${partName}".`)
      })
    })
    form.on('field', (name) => refuse(`A part is named ${shown(name)}. Send one part, named "${partName}".`))
    for (const limit of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      form.on(limit, () => refuse(`The form has several parts. Send one part, named "${partName}".`))
    }
    form.on('error', (error) => refuse(incompleteForm, error))
    form.on('finish', () => {
      if (found === undefined) refuse(`The form has no file. Send one part, named "${partName}".`)
      else resolve(found)
    })
    form.end(bytes)
  })
}

/**
 * A form may have only one part. The limit of Busboy is two parts, so that a second part is
 * detected.
 */
const openForm = (contentType: string) =>
  new Busboy({
    headers: { 'content-type': contentType },
    limits: { files: 1, fields: 1, parts: 2, fieldNameSize: 100, fieldSize: 1000, headerPairs: 20, headerSize: 8192 },
    // A part with the name `file` counts as the file, even if it has no file name.
    isPartAFile: (name, mediaType, fileName) =>
      name === partName || mediaType === 'application/octet-stream' || fileName !== undefined,
  })

const shown = (name: string | undefined): string => JSON.stringify((name ?? '').slice(0, 80))
