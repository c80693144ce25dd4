import { applyAfterHandler, applyBeforeHandler } from './apply-faults.ts'
import { CONTROLS, guardControls } from './controls.ts'
import type { FaultStore } from './faults.ts'
import type { Request, Server } from './http.ts'
import type { Journal } from './journal.ts'
import { getBodyBytes } from './read-body.ts'
import type { Tokens } from './tokens.ts'

/** Adds hooks that journal every request, apply faults before and after the request is handled, and check the token. */
export function addHooks(
  server: Server,
  {
    journal,
    faults,
    tokens,
    closing,
  }: { journal: Journal; faults: FaultStore; tokens: Tokens; closing: AbortSignal },
): void {
  server.decorateRequest('entry', undefined)
  server.decorateRequest('fault', undefined)

  server.addHook('onRequest', async (request) => {
    if (isControl(request)) guardControls(request)
    else request.entry = journal.begin(request.method, request.url)
  })

  server.addHook('preValidation', async (request, reply) => {
    const { entry } = request
    if (!entry) return
    journal.addBody(entry, getBodyBytes(request).toString('utf8'))
    request.fault = faults.take(request.method, request.url)
    if (request.fault) {
      entry.fault = request.fault.kind
      if (await applyBeforeHandler(request.fault, request, reply, { closing, replaced: faults.replaced }))
        return reply
    }
    tokens.check(request)
  })

  server.addHook('onSend', async (request, reply, payload) => {
    const finalPayload = request.fault
      ? applyAfterHandler(request.fault, request, reply, payload, closing)
      : payload
    if (request.entry) request.entry.status = reply.statusCode
    return finalPayload
  })
}

/** Matches by route, because the path may be encoded: `%5f` is an underscore, too. */
function isControl({ url, routeOptions }: Request): boolean {
  const [path = ''] = (routeOptions.url ?? url).split('?')
  return path === CONTROLS || path.startsWith(`${CONTROLS}/`)
}
