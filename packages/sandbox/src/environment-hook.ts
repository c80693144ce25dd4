import { CONTROLS, guardControls } from './controls.ts'
import { applyBefore } from './fault-play.ts'
import type { FaultBoard } from './faults.ts'
import type { Request, Server } from './http.ts'
import type { Journal } from './journal.ts'
import { applyAfter } from './play-after.ts'
import { bodyBytes } from './read-body.ts'
import type { Tokens } from './tokens.ts'

/** Handles every request: journal, fault, token, work, and the rest of the fault. */
export function hook(
  server: Server,
  {
    journal,
    faults,
    tokens,
    closing,
  }: { journal: Journal; faults: FaultBoard; tokens: Tokens; closing: AbortSignal },
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
    journal.receive(entry, bodyBytes(request).toString('utf8'))
    request.fault = faults.take(request.method, request.url)
    if (request.fault) {
      entry.fault = request.fault.kind
      if (await applyBefore(request.fault, request, reply, { closing, replaced: faults.replaced }))
        return reply
    }
    tokens.check(request)
  })

  server.addHook('onSend', async (request, reply, payload) => {
    const sent = request.fault ? applyAfter(request.fault, request, reply, payload, closing) : payload
    if (request.entry) request.entry.status = reply.statusCode
    return sent
  })
}

/** Matches by route, however the path is encoded: `%5f` is an underscore, too. */
function isControl({ url, routeOptions }: Request): boolean {
  const [path = ''] = (routeOptions.url ?? url).split('?')
  return path === CONTROLS || path.startsWith(`${CONTROLS}/`)
}
