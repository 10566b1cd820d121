/** Records the statements that a pool sends. */
import pg from 'pg'

/**
 * Returns a second pool with the same options. The second pool records the text of every statement.
 * The caller must end it.
 */
export function recording(pool: pg.Pool): { readonly client: pg.Pool; readonly statements: readonly string[] } {
  const statements: string[] = []
  class Recording extends pg.Client {
    // biome-ignore lint/suspicious/noExplicitAny: the driver's method has many overloads
    override query(...given: any[]): any {
      const [first] = given
      const text = typeof first === 'string' ? first : (first?.text ?? first?.sql)
      if (typeof text === 'string') statements.push(text)
      return (super.query as (...all: unknown[]) => unknown)(...given)
    }
  }
  const client = new pg.Pool({ ...pool.options, Client: Recording } as never)
  return { client, statements }
}
