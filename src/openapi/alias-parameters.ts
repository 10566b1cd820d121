/** Aliases of query parameters, described as deprecated parameters (QUERY-4, QUERY-5, QUERY-8). */
import type { Alias, ParameterNames } from '../conventions/parameters.js'
import type { PageOptions } from '../definition/resource.js'
import { longestValue } from '../plan/query-pairs.js'
import { parameter } from '../wire.js'
import type { DocumentSchema } from './document.js'

/**
 * Returns the aliases of the parameters in `own`. An alias that has the same name as one of these
 * parameters is left out.
 */
export function aliasParameters(
  names: ParameterNames | undefined,
  own: readonly string[],
  page: Required<PageOptions>,
): readonly Readonly<Record<string, unknown>>[] {
  return [...(names?.aliases ?? [])]
    .filter(([name, { to }]) => own.includes(to) && !own.includes(name))
    .map(([name, alias]) => ({
      name,
      in: 'query',
      deprecated: true,
      description: `Use \`${alias.to}\` (${alias.clause}).${alias.unit === 'rows' ? rowsBefore : ''}`,
      schema: schemaOf(alias, page),
    }))
}

const rowsBefore = ' The value is the number of rows before the page, a multiple of the page size.'

function schemaOf({ to, unit }: Alias, { first, max }: Required<PageOptions>): DocumentSchema {
  const whole = { type: 'integer', format: 'int64' } as const
  if (to === parameter.page) return { ...whole, minimum: unit === 'rows' ? 0 : first, maximum: Number.MAX_SAFE_INTEGER }
  return to === parameter.size ? { ...whole, minimum: 1, maximum: max } : { type: 'string', maxLength: longestValue }
}
