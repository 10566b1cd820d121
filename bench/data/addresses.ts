/** The paths on every server. */

/** Links start with it on every port, so that all servers send the same bytes. */
export const origin = 'http://bench.example'
export const piecesPath = '/v1/pre-piezas'
export const contractsPath = '/v1/contratos'
export const pageSize = 25
