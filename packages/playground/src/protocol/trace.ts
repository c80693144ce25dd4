import { AsyncLocalStorage } from 'node:async_hooks'
import { createSecret } from './ids.ts'

const traces = new AsyncLocalStorage<string | undefined>()
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * Runs a person's action in a new trace. Everything that the action causes belongs to this trace, even much later.
 */
export const runInNewTrace = <T>(run: () => T): T => traces.run(createSecret(), run)

/**
 * Runs a call from the app in the trace of its `traceparent` header (https://www.w3.org/TR/trace-context/, November 2026), or
 * without a trace if the app doesn't forward the header.
 */
export const runInTraceFrom = <T>(traceHeader: unknown, run: () => T): T =>
  traces.run(TRACEPARENT.exec(String(traceHeader))?.[1], run)

/** The ID of the current trace, if any. */
export const currentTrace = (): string | undefined => traces.getStore()

/** The `traceparent` header for requests to the app. */
export function traceparent(): { traceparent?: string } {
  const trace = traces.getStore()
  return trace === undefined ? {} : { traceparent: `00-${trace}-${createSecret(8)}-01` }
}
