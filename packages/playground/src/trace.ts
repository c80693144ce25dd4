import { AsyncLocalStorage } from 'node:async_hooks'
import { createSecret } from './ids.ts'

const traces = new AsyncLocalStorage<string | undefined>()
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Runs an action of a person in a new trace. Everything that it causes belongs to the trace, however late. */
export const runInNewTrace = <T>(run: () => T): T => traces.run(createSecret(), run)

/**
 * Runs a call of the app in the trace that its `traceparent` names (https://www.w3.org/TR/trace-context/, November 2026), or in none
 * if the app doesn't forward the header.
 */
export const runInTraceFrom = <T>(traceHeader: unknown, run: () => T): T =>
  traces.run(TRACEPARENT.exec(String(traceHeader))?.[1], run)

/** The trace that the running code belongs to; undefined if unknown. */
export const currentTrace = (): string | undefined => traces.getStore()

/** The header that names the current trace in requests to the app. */
export function traceparent(): { traceparent?: string } {
  const trace = traces.getStore()
  return trace === undefined ? {} : { traceparent: `00-${trace}-${createSecret(8)}-01` }
}
