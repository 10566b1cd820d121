/**
 * Recognizes directions of a sort in the spellings of other APIs, such as `price:desc`,
 * `desc(price)` and `order=desc`, so that a 400 can say how to write them (QUERY-2, QUERY-8).
 */

const word = '(asc|desc)(?:ending)?'
const isDirection = new RegExp(`^${word}$`, 'i')
const afterField = new RegExp(`^(.+?)[ :.|/_-]+${word}$`, 'i')
const beforeField = new RegExp(`^${word}[ :.|/_(-]+(.+?)\\)?$`, 'i')
const trailingSign = /^(.+)(-|\+)$/

/** The maximum length of a term that is tested with the regular expressions. */
const longest = 80

/**
 * Returns the term in the spelling of the conventions, such as `-price` for `price:desc`. Returns
 * `undefined` if the term has no direction, or the rest of the term is not a field.
 */
export function respelledTerm(term: string, isField: (name: string) => boolean): string | undefined {
  if (term.length > longest) return undefined
  const [, field, direction] = afterField.exec(term) ?? trailingSign.exec(term) ?? []
  const [, first, last] = beforeField.exec(term) ?? []
  const name = [field, last].find((one) => one !== undefined && isField(one))
  if (name === undefined) return undefined
  return /^(?:-|desc)/i.test((name === field ? direction : first) ?? '') ? `-${name}` : name
}

/** Whether a value of a parameter, or a term of a sort, is a direction, such as `desc`. */
export const isSortDirection = (text: string): boolean => isDirection.test(text)

/** Says how to write the direction of a sort. */
export const directionRule = 'For descending order, put "-" in front of the name of a field'
