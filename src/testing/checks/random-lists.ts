/** Compares the results of random list requests with a simple model of a store. */
import type { ParentKey, Scalar } from '../../adapters/contract.js'
import { Random } from '../../random.js'
import { type Check, upTo } from '../check.js'
import { ContractError, expectThat, show } from '../contract-error.js'
import { associations, client, parcel } from '../fixtures.js'
import { placesOf } from '../learned-order.js'
import { Model } from '../model.js'
import { oddTexts } from '../odd-texts.js'
import { type Question, questionOf } from '../questions.js'
import type { ListParts } from '../requests.js'
import type { Row } from '../row.js'
import type { Item, Stage } from '../stage.js'

const questions = 140

const numbers = [0, -0, 0.1 + 0.2, 1e21, -1e21, 5e-324, 0.3, 1e-7, 2 ** 53]
const dateTimes = [
  '2023-12-31T23:59:59.9999999',
  '2024-01-01T00:00:00.0000000',
  '0001-01-01T00:00:00.0000000',
  '9999-12-31T23:59:59.9999999',
]
const depots = ['', 'north', 'North', 'south', null, undefined]
const addresses = [null, undefined, {}, { street: '', postcode: 0 }, { postcode: -1 }, { street: null, postcode: null }]

/**
 * A record that is unlike those of the fixtures. It has odd strings, extreme numbers and years, and
 * empty and absent members.
 */
function oddParcel(random: Random, i: number): Row {
  const record = parcel(`odd ${i} ${random.one(oddTexts)}`, {
    label: random.chance(0.3) ? random.one(['quorvex zinc', 'Zinc', 'ash']) : random.one(oddTexts),
    note: random.one([...oddTexts.slice(0, 6), '', null, undefined]),
    pieces: random.one([0, 1, -1, 2 ** 31, -(2 ** 53 - 1), 2 ** 53 - 1]),
    weight: random.one(numbers),
    urgent: random.chance(0.5),
    collected: random.one([...dateTimes, null, undefined]),
    address: random.one(addresses),
    tags: random.some(['', 'red', 'blue', '__proto__', ...oddTexts.slice(0, 4)], random.below(4)),
    depot: random.one(depots),
  })
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}

/**
 * Creates odd parcels in the store and in the model. Parcels that the store refuses are skipped.
 */
async function addOdd(stage: Stage, random: Random, model: Model): Promise<void> {
  for (const i of upTo(24)) {
    const record = oddParcel(random, i)
    if ('created' in (await stage.create(record, { peer: i }))) model.records.set(model.keyText(record), record)
  }
}

/**
 * Attaches some records in each association, in the store and in the model. Returns the parents,
 * and one parent without records.
 */
async function addAttached(stage: Stage, random: Random, model: Model): Promise<readonly ParentKey[]> {
  const parents = associations.flatMap((as) => ['ann', 'bob'].map((key) => client(as, key)))
  for (const parent of parents) {
    for (const [text, record] of random.some([...model.records], 5)) {
      await stage.attach(parent, stage.key(record))
      const by = model.parentMember(parent)
      if (by === undefined) model.setOf(parent).add(text)
      else model.records.set(text, { ...(model.records.get(text) as Row), [by]: parent.key })
    }
  }
  return [...parents, client('favourites', 'nobody')]
}

/**
 * Throws if a page does not contain exactly these rows in this order, or if its total or `more` is
 * wrong.
 */
function expectRows(
  stage: Stage,
  { items, total, exact, more }: Awaited<ReturnType<Stage['list']>>,
  rows: readonly Row[],
  all: number,
  beyond: boolean,
): void {
  const came = items.map(({ value }) => stage.keyText(value))
  const expected = rows.map((row) => stage.keyText(row))
  expectThat(JSON.stringify(came) === JSON.stringify(expected), `the keys ${show(expected)}`, came)
  for (const [i, row] of rows.entries()) stage.expectValue(items[i] as Item, row, 'a listed record')
  if (exact !== false && (total !== undefined || stage.offers('total')))
    expectThat(total === all, `a total of ${all}`, total)
  if (more !== undefined) expectThat(more === beyond, `"more" to be ${beyond}`, more)
}

async function ask(
  stage: Stage,
  random: Random,
  model: Model,
  { parts, scope }: Question,
  say: (asked: ListParts) => void,
): Promise<void> {
  const by = { call: { scope }, peer: random.below(4) }
  const list = (asked: ListParts) => {
    say(asked)
    return stage.list(asked, by)
  }
  let rows = model.found(parts, scope)
  const whole = { ...parts, size: model.records.size + 1 }
  const first = await list(whole)
  if (parts.search !== undefined && parts.sort === undefined) {
    // The store defines the rank, so the model can't predict the order. Only the set of records is
    // compared with the model. Each page is compared with the whole list.
    const places = new Map(first.items.map(({ value }, i) => [stage.keyText(value), i]))
    rows = [...rows].sort((a, b) => (places.get(stage.keyText(a)) ?? 0) - (places.get(stage.keyText(b)) ?? 0))
  }
  expectRows(stage, first, rows, rows.length, false)
  for (const size of [1, 1 + random.below(9)]) {
    const page = 1 + random.below(Math.ceil(rows.length / size) + 2)
    expectRows(
      stage,
      await list({ ...parts, page, size }),
      rows.slice((page - 1) * size, page * size),
      rows.length,
      page * size < rows.length,
    )
  }
  const { sort } = parts
  if (first.seekable !== true || sort === undefined) return
  for (const backwards of [false, true]) {
    const size = 1 + random.below(5)
    const values = placeOf(random, model, rows, sort)
    const beside = rows.filter((row) => {
      const difference = model.compare(model.seekPosition(row, sort), values, sort)
      return backwards ? difference < 0 : difference > 0
    })
    const page = await list({ ...parts, seek: { values, backwards }, size, page: 1 + random.below(3) })
    if (page.seekable !== true) continue
    expectRows(stage, page, backwards ? beside.slice(-size) : beside.slice(0, size), rows.length, beside.length > size)
  }
}

/**
 * Returns a random position for a seek: either the position of a row (often the first or the last
 * row), or a position that probably no row has.
 */
function placeOf(random: Random, model: Model, rows: readonly Row[], sort: string): readonly (Scalar | null)[] {
  const all = [...model.records.values()]
  const row = random.one(rows.length === 0 ? all : [...rows, rows[0] as Row, rows.at(-1) as Row])
  if (random.chance(0.7)) return model.seekPosition(row, sort)
  return model.seekPosition(row, sort).map((_, i) => model.seekPosition(random.one(all), sort)[i] as Scalar | null)
}

const randomCheck = (on: 'parcels' | 'lines' | 'contracts', title: string): Check => ({
  id: `random/${on}`,
  title,
  on,
  async run(stage) {
    const random = new Random(stage.seed)
    const model = new Model(stage.definition, stage.held)
    if (on === 'parcels' && stage.offers('create')) await addOdd(stage, random, model)
    const parents = on === 'contracts' && stage.offers('attach') ? await addAttached(stage, random, model) : []
    const { sort, key, filters } = stage.definition
    const ordered = [...filters.values()].filter(({ op }) => op !== 'contains').map(({ field }) => field)
    const sortable = new Set([...sort, ...key.members])
    for (const field of sortable) model.ranks.set(field, await placesOf(stage, field))
    for (const field of ordered) if (!sortable.has(field)) model.ranks.set(field, () => Number.NaN)
    const data = {
      definition: stage.definition,
      records: [...model.records.values()],
      parents,
      searches: stage.offers('search'),
    }
    for (const n of upTo(questions)) {
      const question = questionOf(random, data, 1 + Math.floor((n * 5) / questions))
      let asked: ListParts = {}
      try {
        await ask(stage, random, model, question, (parts) => {
          asked = parts
        })
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        const text =
          `list(${JSON.stringify(asked)}) in the scope ${JSON.stringify(question.scope)}: ${why} Seed ` +
          `${stage.seed}, list request ${n + 1}.`
        throw error instanceof ContractError ? new ContractError(text) : new Error(text, { cause: error })
      }
    }
  },
})

export const randomLists: readonly Check[] = [
  randomCheck('parcels', 'Conditions, search, sort, pages, seeks and scope work in any combination.'),
  randomCheck(
    'lines',
    'Conditions, search, sort, pages, seeks and scope work in any combination for contained records, whose ' +
      'composite key includes the key of their parent.',
  ),
  randomCheck('contracts', 'Conditions, search, sort, pages, seeks, scope and parents work in any combination.'),
]
