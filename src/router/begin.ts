/** Begins a request: names its route for a tracer, notifies subscribers, and runs its steps. */
import { callChannel, requestChannel, stepChannel } from '../telemetry/channels.js'
import { openTelemetry } from '../telemetry/http-route.js'
import type { Exchange } from './exchange.js'
import { observe, walkObserved } from './observed.js'
import type { PipelineStep } from './pipeline.js'
import { nameForTracer } from './route-name.js'
import { walk } from './walk.js'

/**
 * Begins a request. Never throws, because all errors become responses. Subscribers are looked up
 * once per request, because a lookup at each step and each adapter call would cost more. So a
 * subscriber that is added during a request may miss messages about that request.
 */
export function begin(exchange: Exchange, steps: readonly PipelineStep[]): void {
  if (openTelemetry in globalThis) nameForTracer(exchange)
  const { hasSubscribers } = requestChannel
  if (hasSubscribers || stepChannel.hasSubscribers || callChannel.hasSubscribers || exchange.service.observes)
    observe(exchange)
  if (hasSubscribers) walkObserved(exchange, () => void walk(exchange, steps))
  else void walk(exchange, steps)
}
