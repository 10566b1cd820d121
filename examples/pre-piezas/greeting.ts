/** What the service says when it listens: its address, and requests to paste. */
import { segment } from './addresses.js'
import type { Data } from './data/generator.js'

export function greeting(base: string, { prePiezas, contratos }: Data): string {
  const [piece] = prePiezas
  const [contract] = contratos
  const list = `${base}/v8/pre-piezas?${piece === undefined ? '' : `sucursalDeDistribucion=${piece.sucursalDeDistribucion}&`}sort=-fechaDeEntrada&limit=2`
  // Without pieces there are still contracts to look at.
  const item =
    piece === undefined
      ? {
          url: `${base}/v8/contratos/${segment(contract?.codigoDeContratoInterno ?? '')}`,
          expand: 'cliente',
          patch: { descripcion: 'Express' },
        }
      : { url: `${base}/v8/pre-piezas/${piece.numero}`, expand: 'contrato', patch: { lote: 'L-0002' } }
  const tag = `curl -sI '${item.url}' | grep -i '^etag:' | cut -d ' ' -f 2 | tr -d '\\r'`
  return [
    `listening on ${base}`,
    `curl -s '${list}'`,
    `curl -s '${item.url}?expand=${item.expand}'`,
    `curl -s -X PATCH '${item.url}' -H "If-Match: $(${tag})" -H 'Content-Type: application/merge-patch+json' -d '${JSON.stringify(item.patch)}'`,
  ].join('\n')
}
