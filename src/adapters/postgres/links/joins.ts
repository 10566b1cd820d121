/**
 * The joins of one call. The record that a link points to is called the target of the link. If the
 * target's table is in the same database, one statement reads the record and the target, with a
 * JOIN. The target then needs no round trip of its own.
 */
import type { AdapterCall, ShownLink, ShownLinks } from '../../contract.js'
import type { Cells } from '../connections/client.js'
import type { Databases } from '../connections/database.js'
import { failureKind, stateOf } from '../connections/failures.js'
import { allOf, Parameters } from '../sql/sql.js'
import type { StatementSender } from '../sql/statement-sender.js'
import { keySql } from '../table/conditions.js'
import type { Opening } from '../table/opening.js'
import { epochOf, isUnscoped, type Table } from '../table/table.js'
import { Join, outer } from './join.js'
import { areJoinable, targetOf } from './link-targets.js'

/** A join, and the adapter call for its target. The join applies the scope of this call. */
interface Joined {
  readonly join: Join
  readonly call: AdapterCall
  readonly opening: Opening
}

/** A statement, the names of its columns, and its joins. */
interface JoinedStatement {
  readonly text: string
  readonly names: readonly string[]
  readonly joined: readonly Join[]
}

/** The compiled joins of a table, by link. */
class TableJoins {
  /** The select list of the table's own columns. */
  readonly own: string
  /**
   * The statements that read one record by key, for calls without a scope. Each statement is stored
   * under the first of its joins.
   */
  readonly ones = new WeakMap<Join, JoinedStatement>()
  /** The tables of targets that the database refused to join. */
  readonly refused = new WeakSet<Table>()
  readonly #known = new WeakMap<object, { readonly target: Table; readonly join: Join | undefined }>()
  readonly #table: Table
  #count = 0

  constructor(table: Table) {
    this.#table = table
    this.own = table.shownNames.map((name) => `${outer}.${name}`).join(', ')
  }

  of(link: ShownLinks['all'][number], target: Table): Join | undefined {
    if (this.refused.has(target)) return undefined
    const known = this.#known.get(link)
    if (known?.target === target) return known.join
    const join = Join.of(this.#table, target, link, this.#count++)
    this.#known.set(link, { target, join })
    return join
  }
}

const compiled = new WeakMap<Table, TableJoins>()

function joinsOf(table: Table): TableJoins {
  const known = compiled.get(table)
  if (known !== undefined) return known
  const made = new TableJoins(table)
  compiled.set(table, made)
  return made
}

/**
 * Whether the target's table differs from the record's table, and is an ordinary table: one without
 * partitions, tables that inherit from it, row-level security, computed members or a computed
 * version.
 */
function isSeparate({ relation }: Table, { relation: target, layout, options }: Table): boolean {
  const { version } = options
  const computes =
    layout.members.some(({ quoted }) => quoted === '') || (typeof version === 'object' && 'expression' in version)
  return (
    target.kind === 'r' &&
    target.tablesBelow.length === 0 &&
    target.oid !== relation.oid &&
    !target.secured &&
    !computes
  )
}

export class Joins {
  readonly #table: Table
  readonly #links: ShownLinks
  readonly #all: readonly Joined[]
  #epochs: readonly number[] = []

  private constructor(table: Table, links: ShownLinks, all: readonly Joined[]) {
    this.#table = table
    this.#links = links
    this.#all = all
  }

  /** Returns the joins of a read, or `undefined` if there are none. */
  static of(table: Table, databases: Databases, call: AdapterCall): Joins | undefined {
    return Joins.#of(table, databases, call, () => true)
  }

  /**
   * Returns the joins of a write that is a single statement. Such a statement reads other tables as
   * they were when the statement began. So a target is joined only if the write changes neither the
   * target nor anything that the target is computed from.
   *
   * A create does not join a target that has just been read to check the link. The response shows
   * that target as it was read. Joining it would cost the database a third as much as the INSERT.
   * An update joins such targets too, because the update may have waited for another update since
   * the targets were read.
   */
  static ofWrite(table: Table, databases: Databases, call: AdapterCall): Joins | undefined {
    const { links } = call
    const creates = call.action === 'create'
    if (links === undefined || !table.ownRowOnly[creates ? 'insert' : 'update']) return undefined
    const takes = (target: Table, link: ShownLink): boolean =>
      isSeparate(table, target) && !(creates && links.showChecked?.(link) === true)
    return Joins.#of(table, databases, call, takes)
  }

  static #of(
    table: Table,
    databases: Databases,
    call: AdapterCall,
    takes: (target: Table, link: ShownLink) => boolean,
  ): Joins | undefined {
    const { links } = call
    if (links === undefined) return undefined
    const known = joinsOf(table)
    const all: Joined[] = []
    for (const link of links.all) {
      const target = targetOf(link.adapter)
      if (target?.opening.table === undefined || !areJoinable(databases, target.databases)) continue
      if (!takes(target.opening.table, link)) continue
      const join = known.of(link, target.opening.table)
      const own = join && links.callOf(link)
      // One statement serves the call that reads the record and the call that reads the target. So
      // both calls must have the same `fresh`: a call with `fresh` must not be served by a replica.
      if (join === undefined || own === undefined || (own.fresh ?? false) !== (call.fresh ?? false)) continue
      all.push({ join, call: own, opening: target.opening })
    }
    return all.length === 0 ? undefined : new Joins(table, links, all)
  }

  /** Whether all targets are read without a scope. The joins are then the same for all callers. */
  get areUnscoped(): boolean {
    return this.#all.every(({ call }) => isUnscoped(call))
  }

  /** The names of the joined columns. */
  get names(): readonly string[] {
    return this.#all.flatMap(({ join }) => join.names)
  }

  /**
   * The columns that the joins compare, to be appended to the columns that the inner statement
   * returns. The inner statement reads or changes the record. Each column has a leading comma.
   */
  get keys(): string {
    return this.#all.map(({ join }) => `, ${join.keys}`).join('')
  }

  /**
   * The columns of the targets, to be appended to the columns that the outer statement returns.
   * Each column has a leading comma.
   */
  get columns(): string {
    return this.#all.map(({ join }) => `, ${join.columns}`).join('')
  }

  /**
   * Returns the SQL that joins the targets to the rows with the alias `outer`. `oneByOne`: see
   * `Join.sql`.
   */
  sql(parameters: Parameters, oneByOne = false): string {
    return this.#all.map(({ join, call }) => join.sql(call, parameters, oneByOne)).join('')
  }

  /**
   * Returns the statement that reads the record for which `where` is true, together with its
   * targets.
   */
  one(where: string, parameters: Parameters): JoinedStatement {
    const { shown, shownNames, source } = this.#table
    const record = `SELECT ${shown}${this.keys} FROM ${source} WHERE ${where}`
    const text = `SELECT ${joinsOf(this.#table).own}${this.columns} FROM (${record}) AS ${outer}${this.sql(parameters)}`
    return { text, names: [...shownNames, ...this.names], joined: this.all }
  }

  /**
   * Returns the statement that reads the record with a given key, together with its targets, for
   * calls without a scope. The parameter values of the statement are the parts of the key, as
   * strings.
   */
  oneForAll(): JoinedStatement {
    const { ones } = joinsOf(this.#table)
    const [first] = this.#all as readonly [Joined]
    const known = ones.get(first.join)
    if (known !== undefined && this.equals(known.joined)) return known
    const { layout, shownAlive } = this.#table
    const parameters = new Parameters()
    const texts = layout.key.map(() => '')
    const conditions = keySql(layout, texts, parameters)
    const made = this.one(allOf(shownAlive === undefined ? conditions : [...conditions, shownAlive]), parameters)
    ones.set(first.join, made)
    return made
  }

  /** Adds the joins to `statement`, which changes a record and returns it. */
  changed(statement: string, parameters: Parameters): JoinedStatement {
    const text =
      `WITH ${outer} AS (${statement}${this.keys}) SELECT ${joinsOf(this.#table).own}${this.columns} FROM ` +
      `${outer}${this.sql(parameters)}`
    return { text, names: [...this.#table.shownNames, ...this.names], joined: this.all }
  }

  /** Whether `joins`, the joins of an earlier statement, are the same as the joins of this call. */
  equals(joins: readonly object[]): boolean {
    return joins.length === this.#all.length && this.#all.every(({ join }, i) => join === joins[i])
  }

  get all(): readonly Join[] {
    return this.#all.map(({ join }) => join)
  }

  /**
   * Stores the epoch of each target's table (see `epochOf`). Must be called before the statement is
   * sent.
   */
  begin(ask: StatementSender): void {
    this.#epochs = this.#all.map(({ join }) => epochOf(join.target, ask))
  }

  /**
   * Passes the targets in the returned rows to the links of the response, so that the library does
   * not read these targets separately. The joined columns begin at index `from`. Default: after the
   * columns of the record.
   */
  report(rows: readonly Cells[], from = this.#table.shownNames.length): void {
    let at = from
    for (const [i, { join }] of this.#all.entries()) {
      join.report({ table: this.#table, links: this.#links, epoch: this.#epochs[i] ?? -1 }, rows, at)
      at += join.names.length
    }
  }

  /**
   * Whether a join could be the cause of an error. If so, the statement must be sent again without
   * joins. For example, the role may lack the privilege to read the target's table, or a column of
   * that table may have been dropped. After an error of SQLSTATE class 42 or 0A, the record's table
   * is not joined to the target tables of this call until their columns have been read from the
   * catalog again.
   */
  mayHaveFailed(error: unknown): boolean {
    const kind = failureKind(error)
    const state = stateOf(error)
    if (state === undefined || (kind !== 'other' && kind !== 'refused' && kind !== 'unprepared')) return false
    // Class 23 reports that a row violates a constraint. A join can't cause that.
    if (state.startsWith('23')) return false
    if (/^(?:42|0A)/.test(state)) {
      for (const { join, opening } of this.#all) {
        joinsOf(this.#table).refused.add(join.target)
        opening.doubt(error)
      }
    }
    return true
  }
}
