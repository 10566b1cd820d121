/** The records of the twin, the hand-written test service. */
import type { Label } from './labels.js'

export interface Order {
  id: number
  customerId: string
  state: string
  amount: number | null
  urgent: boolean
  createdAt: string
  note: string | null
}

export interface Customer {
  id: string
  name: string
  phone: string | null
  parentId: string | null
}

export interface Data {
  readonly labels: Map<string, Label>
  readonly parcels: Map<string, object>
  /** The codes of the labels of each order, by the id of the order. */
  readonly members: Map<number, Set<string>>
  readonly orders: Map<number, Order>
  readonly customers: Map<string, Customer>
  readonly versions: Map<number, number>
}

const two = (value: number): string => String(value).padStart(2, '0')

export function data(): Data {
  const customers = ['ana', 'eva', 'leo'].map((id) => ({
    id,
    name: `${id} & sons`,
    phone: null,
    parentId: id === 'ana' ? 'eva' : null,
  }))
  const orders = Array.from({ length: 23 }, (_, at): Order => {
    const id = at + 3
    return {
      id,
      customerId: ['ana', 'eva', 'leo'][at % 3] as string,
      state: at % 4 === 0 ? 'closed' : 'open',
      amount: at % 5 === 0 ? null : ((at * 7) % 12) + 3,
      urgent: at % 2 === 0,
      createdAt: `2026-01-${two((at % 9) + 1)}T08:30:00.0000000`,
      note: at % 3 === 0 ? null : `note ${id}`,
    }
  })
  const labels = ['red', 'blue', 'green'].map((code) => ({ code, text: `${code} label` }))
  return {
    labels: new Map(labels.map((one) => [one.code, one])),
    members: new Map(),
    parcels: new Map(),
    customers: new Map(customers.map((one) => [one.id, one])),
    orders: new Map(orders.map((one) => [one.id, one])),
    versions: new Map(orders.map(({ id }) => [id, 1])),
  }
}
