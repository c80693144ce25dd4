import { applyAfterHandler, applyBeforeHandler } from './apply-faults.ts'
import { CONTROLS_PATH, guardControls } from './controls.ts'
import type { FaultStore } from './faults.ts'
import type { Request, Server } from './http.ts'
import type { Journal } from './journal.ts'
import { getBodyBytes } from './read-body.ts'
import type { TokenStore } from './tokens.ts'

/** Adds the hooks that run for every API request: they record it in the journal, apply a matching fault, and check the token. */
export function addRequestHooks(
  server: Server,
  {
    journal,
    faults,
    tokens,
    closing,
  }: { journal: Journal; faults: FaultStore; tokens: TokenStore; closing: AbortSignal },
): void {
  server.decorateRequest('journalEntry', undefined)
  server.decorateRequest('fault', undefined)

  server.addHook('onRequest', async (request) => {
    if (isControl(request)) guardControls(request)
    else request.journalEntry = journal.addEntry(request.method, request.url)
  })

  server.addHook('preValidation', async (request, reply) => {
    const { journalEntry } = request
    if (!journalEntry) return
    journal.addBody(journalEntry, getBodyBytes(request).toString('utf8'))
    request.fault = faults.consume(request.method, request.url)
    if (request.fault) {
      journalEntry.fault = request.fault.kind
      if (await applyBeforeHandler(request.fault, request, reply, { closing, replaced: faults.replaced }))
        return reply
    }
    tokens.check(request)
  })

  server.addHook('onSend', async (request, reply, payload) => {
    const finalPayload = request.fault ? applyAfterHandler(request.fault, request, reply, payload) : payload
    if (request.journalEntry) request.journalEntry.status = reply.statusCode
    return finalPayload
  })
}

/** Compares the matched route instead of the raw URL, which may encode the underscore as `%5f`. */
function isControl({ url, routeOptions }: Request): boolean {
  const [path = ''] = (routeOptions.url ?? url).split('?')
  return path === CONTROLS_PATH || path.startsWith(`${CONTROLS_PATH}/`)
}
