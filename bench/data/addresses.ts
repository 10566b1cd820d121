/** The paths that every server has. */

/** The origin of links. It does not depend on the port, so that all servers send the same bytes. */
export const origin = 'http://bench.example'
export const piecesPath = '/v1/pre-piezas'
export const contractsPath = '/v1/contratos'
export const pageSize = 25
