import { ConfigurationError } from '../../problem.js'

/** A store that does not fit what is asked of it. The message says the mend. */
export const unfit = (message: string): ConfigurationError => new ConfigurationError('store-unfit', `postgresAdapter(): ${message}.`)
