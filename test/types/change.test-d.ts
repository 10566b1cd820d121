/** Type tests of the change that the `write` function of a PostgreSQL adapter receives. */
import { defineResource } from 'express-rest-conventions'
import { type PostgresAdapterOptions, postgresAdapter } from 'express-rest-conventions/postgres'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <_ extends true>(): void => undefined

const cuentas = defineResource({
  collection: 'cuentas',
  key: 'id',
  schema: {
    type: 'object',
    required: ['id', 'saldo'],
    properties: { id: { type: 'string' }, saldo: { type: 'number' } },
  },
})
type Cuenta = NonNullable<typeof cuentas.types>['record']

const write: PostgresAdapterOptions<Cuenta, string>['write'] = async (_tx, change) => {
  await change.apply()
  if (change.action === 'create') {
    holds<Same<typeof change.key, string | undefined>>()
    holds<Same<typeof change.before, undefined>>()
    holds<Same<typeof change.value, Readonly<Cuenta>>>()
    // @ts-expect-error The value has been validated, so the function can't change it.
    change.value.saldo = 0
  } else {
    holds<Same<typeof change.key, string>>()
    holds<Same<typeof change.before, Readonly<Cuenta> | undefined>>()
    // @ts-expect-error No action is called "update": an update is a "replace" or a "patch".
    if (change.action === 'update') return
  }
  if (change.action === 'remove') holds<Same<typeof change.after, undefined>>()
  else holds<Same<typeof change.after, Readonly<Cuenta> | undefined>>()
  if (change.action === 'attach') change.parent.collection.toUpperCase()
  // @ts-expect-error Only the actions "attach" and "detach" always have a parent.
  else change.parent.collection.toUpperCase()
}
declare const client: Parameters<typeof postgresAdapter>[0]
postgresAdapter(client, { resource: cuentas, table: 'cuentas', write, readBefore: true })
