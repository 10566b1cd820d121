/** Checks the endpoints that take uploads, when all resources of their version are known. */
import type { OperationDescription } from './operation.js'
import type { Route, RouteTable } from './routes.js'

/** Throws `ConfigurationError` if an upload can't work with the resources of its version. */
export function checkUploads<Op extends OperationDescription>({ routes, resources }: RouteTable<Op>): void {
  for (const { endpoint } of routes as readonly Route[]) {
    for (const { upload } of endpoint?.methods.values() ?? [])
      upload?.check?.(resources.find(({ plan }) => plan.collection === upload.resource))
  }
}
