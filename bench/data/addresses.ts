/** The URLs and the page size that all servers share. */

/**
 * The origin in links. It does not contain the port of the server, so that all servers send the
 * same bytes.
 */
export const origin = 'http://bench.example'
export const piecesPath = '/v1/pre-piezas'
export const contractsPath = '/v1/contratos'
export const pageSize = 25
