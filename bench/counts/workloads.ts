/**
 * The counted workloads: some workloads of the benchmark, and two workloads in which no request is
 * the same as an earlier one.
 */
import { piecesPath } from '../data/addresses.js'
import { branchCount } from '../data/records.js'
import { type Workload, type WorkloadName, workloadOf } from '../workloads/index.js'
import type { Turn } from '../workloads/turns.js'

const ofTheBenchmark = [
  'item',
  'not-modified',
  'page',
  'page-expanded',
  'create',
  'patch',
  'token',
] as const satisfies readonly WorkloadName[]

export type CountedName = (typeof ofTheBenchmark)[number] | 'item-first' | 'page-first'

export const countedNames: readonly CountedName[] = [...ofTheBenchmark, 'item-first', 'page-first']

type Counted = Pick<Workload, 'title' | 'status' | 'secured' | 'turns'>

export function countedOf(name: CountedName): Counted {
  if (name === 'item-first') return { title: 'item GET, no item twice', status: 200, turns: firstItems }
  if (name === 'page-first') return { title: 'page of 25, no page twice', status: 200, turns: firstPages }
  return workloadOf(name)
}

function firstItems(): Turn {
  let numero = 0
  return () => ({ path: `${piecesPath}/${++numero}` })
}

/**
 * Returns requests for 800 different pages, so that no page is requested twice during one count.
 * The first 80 requests are for the first page of each branch, in both sort orders.
 */
function firstPages(): Turn {
  let at = 0
  return () => {
    const branch = 1 + (at % branchCount)
    const order = Math.floor(at / branchCount) % 2 === 0 ? '-' : ''
    const page = 1 + (Math.floor(at / branchCount / 2) % 10)
    at += 1
    return { path: `${piecesPath}?sucursalDeDistribucion=${branch}&sort=${order}fechaDeEntrada&offest=${page}` }
  }
}
