/**
 * Thrown if a command can't run. The message says why. The exit code is then 2.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The message of a caught value. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The code of an error that Node throws, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}
