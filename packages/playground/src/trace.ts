import { AsyncLocalStorage } from 'node:async_hooks'
import { createSecret } from './ids.ts'

const traces = new AsyncLocalStorage<string | undefined>()
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Something that a person does: everything that it causes, however late, belongs to one trace. */
export const traced = <T>(work: () => T): T => traces.run(createSecret(), work)

/**
 * The same for what the app does: it belongs to the trace that its call names, if the app forwards a request's `traceparent`
 * (https://www.w3.org/TR/trace-context/, November 2026). Otherwise it isn't known.
 */
export const tracedBy = <T>(traceparent: unknown, work: () => T): T =>
  traces.run(TRACEPARENT.exec(String(traceparent))?.[1], work)

/** The trace of what is happening; undefined if unknown. */
export const currentTrace = (): string | undefined => traces.getStore()

/** As a request to the app names it. */
export function traceparent(): { traceparent?: string } {
  const trace = traces.getStore()
  return trace === undefined ? {} : { traceparent: `00-${trace}-${createSecret(8)}-01` }
}
