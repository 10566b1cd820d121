/** Helpers for checks of lists and their conditions. */
import type { Scalar } from '../../adapters/contract.js'
import { expectSameSet, show } from '../contract-error.js'
import { memberAt } from '../model.js'
import type { Where } from '../requests.js'
import type { Row } from '../row.js'
import type { Stage } from '../stage.js'

/** The distinct values of a member in the initial records, without null. */
export const valuesOf = (stage: Stage, field: string): readonly Scalar[] =>
  [...new Set(stage.held.map((record) => memberAt(record, field)))].filter((value) => value !== null)

/** Throws if a list does not contain exactly the records for which `holds` is true. */
export async function expectMatches(
  stage: Stage,
  where: readonly Where[],
  holds: (record: Row) => boolean,
): Promise<void> {
  const expected = stage.held.filter(holds).map((record) => stage.keyText(record))
  expectSameSet(await stage.keys({ where }), expected, `the keys where ${show(where)}`)
}
