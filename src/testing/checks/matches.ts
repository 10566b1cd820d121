/** What checks of lists and their conditions ask. */
import type { Scalar } from '../../adapters/contract.js'
import { expectSameSet, show } from '../contract-error.js'
import { memberAt } from '../model.js'
import type { Where } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/** The values of a member among the records, each once, without null. */
export const valuesOf = (stage: Stage, field: string): readonly Scalar[] =>
  [...new Set(stage.held.map((record) => memberAt(record, field)))].filter((value) => value !== null)

/** Throws where a list does not hold just the records for which `holds`. */
export async function expectMatches(
  stage: Stage,
  where: readonly Where[],
  holds: (record: Row) => boolean,
): Promise<void> {
  const expected = stage.held.filter(holds).map((record) => stage.keyText(record))
  expectSameSet(await stage.keys({ where }), expected, `the keys where ${show(where)}`)
}
