/**
 * Unpacks the Chromium of the package `@sparticuz/chromium`. The package itself is not imported,
 * because it unpacks without a lock into a folder that all processes of the machine share.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/** The archives of the package: the libraries that a minimal Linux lacks, and fonts. */
const archives = ['al2023.tar.br', 'fonts.tar.br']

/**
 * Returns the path of the program and its environment. Throws if the package does not support this
 * machine.
 */
export function embeddedBrowser(): { readonly path: string; readonly env: Readonly<Record<string, string>> } {
  const { platform, arch } = process
  if (platform !== 'linux' || arch !== 'x64') throw new Error(`The package has no Chromium for ${platform} on ${arch}.`)
  const packed = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', '..', 'bin')
  const { version } = JSON.parse(readFileSync(join(packed, '..', 'package.json'), 'utf8')) as { version: string }
  const folder = fileURLToPath(new URL(`../../build/chromium-${version}`, import.meta.url))
  if (!existsSync(folder)) unpack(packed, folder)
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: join(folder, 'lib'), FONTCONFIG_FILE: join(folder, 'own-fonts.conf') },
  }
}

/**
 * A fontconfig file for the fonts in this folder. The file in the package expects them in `/tmp`.
 */
const fontsIn = (folder: string): string =>
  `<?xml version="1.0"?><fontconfig><dir>/usr/share/fonts</dir><dir>${folder}</dir><cachedir>${folder}-cache</cachedir></fontconfig>`

/**
 * Unpacks into a temporary folder, and renames the folder when it is complete. So other processes
 * never see incomplete files.
 */
function unpack(packed: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  const work = mkdtempSync(`${folder}-`)
  const read = (name: string): Buffer => brotliDecompressSync(readFileSync(join(packed, name)))
  try {
    writeFileSync(join(work, 'chromium'), read('chromium.br'), { mode: 0o755 })
    for (const archive of archives) execFileSync('tar', ['-x', '-C', work], { input: read(archive) })
    writeFileSync(join(work, 'own-fonts.conf'), fontsIn(join(folder, 'fonts')))
    renameSync(work, folder)
  } catch (error) {
    rmSync(work, { recursive: true, force: true })
    // Another process might have unpacked the browser first.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
