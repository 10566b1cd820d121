/**
 * A self-signed certificate, created once and then reused. The clients in the tests do not verify
 * it.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Certificate {
  readonly key: string
  readonly cert: string
}

let made: Certificate | undefined

export function certificate(): Certificate {
  made ??= make()
  return made
}

function make(): Certificate {
  const home = mkdtempSync(join(tmpdir(), 'tls-'))
  try {
    const [keyFile, certFile] = [join(home, 'key.pem'), join(home, 'cert.pem')]
    const kind = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=x',
    ]
    execFileSync('openssl', [...kind, '-keyout', keyFile, '-out', certFile], { stdio: 'ignore' })
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}
