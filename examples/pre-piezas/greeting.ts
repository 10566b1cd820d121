/**
 * The text that is printed when the service listens. It contains the URL of the service, a token
 * for the private API, requests to paste into a terminal, and the URLs of the docs. If the account
 * of the public API was generated, the text also contains the account.
 */
import type { Adapter, AdapterCall } from 'express-rest-conventions'
import type { Access } from './access.js'
import { segment } from './addresses.js'
import type { Stores } from './store/stores.js'

/**
 * Builds the text. The example requests use records that are read from the stores, because earlier
 * runs may have changed the records.
 */
export async function greeting(
  base: string,
  { prePiezas, contratos }: Pick<Stores, 'prePiezas' | 'contratos'>,
  { privateToken, madeUp }: Pick<Access, 'privateToken' | 'madeUp'>,
): Promise<string> {
  const token = privateToken()
  const curl = `curl -s -H 'Authorization: Bearer ${token}'`
  const piece = await first(prePiezas, 'numero')
  const filter = piece === undefined ? '' : `sucursalDeDistribucion=${piece.sucursalDeDistribucion}&`
  const list = `${base}/v8/pre-piezas?${filter}sort=-fechaDeEntrada&limit=2`
  const item =
    piece === undefined
      ? await withoutPieces(base, contratos)
      : { url: `${base}/v8/pre-piezas/${piece.numero}`, query: '?expand=contrato', patch: { lote: 'L-0002' } }
  const tag = `${curl} -I '${item.url}' | grep -i '^etag:' | cut -d ' ' -f 2 | tr -d '\\r'`
  return [
    `listening on ${base}`,
    token,
    `${curl} '${list}'`,
    `${curl} '${item.url}${item.query}'`,
    `${curl} -X PATCH '${item.url}' -H "If-Match: $(${tag})" -H 'Content-Type: application/merge-patch+json' -d ` +
      `'${JSON.stringify(item.patch)}'`,
    ...(madeUp === undefined
      ? []
      : [`public user ${madeUp.user}, password ${madeUp.password}: GET ${base}/public/login`]),
    `docs: ${base}/v8/docs, public side ${base}/public/v1/docs`,
  ].join('\n')
}

/**
 * Chooses the item for the example requests if the service has no pre-pieces. The item is the first
 * contract. If there are no contracts either, the item is a branch.
 */
async function withoutPieces(base: string, contratos: Stores['contratos']) {
  const contract = await first(contratos, 'codigoDeContratoInterno')
  return contract === undefined
    ? { url: `${base}/v8/sucursales/ROS`, query: '', patch: { descripcion: 'Rosario' } }
    : {
        url: `${base}/v8/contratos/${segment(contract.codigoDeContratoInterno).replaceAll("'", '%27')}`,
        query: '?expand=cliente',
        patch: { descripcion: 'Express' },
      }
}

async function first<T, K>(adapter: Adapter<T, K>, field: keyof T & string): Promise<T | undefined> {
  const call: AdapterCall = {
    principal: undefined,
    scope: {},
    requestId: 'greeting',
    signal: AbortSignal.timeout(5_000),
  }
  const { items } = await adapter.list(
    { where: [], sort: [{ field, path: [field], descending: false }], page: 1, size: 1, offset: 0 },
    call,
  )
  return items[0]?.value
}
