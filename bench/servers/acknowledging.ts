import { createService } from '../../src/api/service.ts'
import { createDispatch } from '../../src/bot/dispatch.ts'
import { createQueue } from '../../src/bot/jobs/job-queue.ts'
import type { Replies } from '../../src/bot/replies/replies.ts'
import { createAttend } from '../../src/bot/requests/attend.ts'
import type { RequestHandlers } from '../../src/bot/requests/request-handler.ts'
import { createCertOrders } from '../../src/features/cert-orders/create-cert-orders.ts'
import { createLog } from '../../src/log.ts'
import { shippedRoutes } from '../../src/shipped-routes.ts'
import { createBolt } from '../../src/slack/receive/bolt.ts'
import { createHttpServer } from '../../src/slack/receive/http-server.ts'
import { createReceiver } from '../../src/slack/receive/receiver.ts'
import { createReference } from '../../src/slack/receive/reference.ts'
import { createResponder } from '../../src/slack/reply/respond.ts'
import { openStore } from '../../src/store/store.ts'
import { listening } from '../parts/listening.ts'
import { serveMeasured } from '../parts/server.ts'
import { SIGNING_SECRET } from '../parts/slack.ts'

/**
 * The shipped receiver, Bolt and dispatch behind the shipped front, with every shipped route in the table. Nothing is
 * asked of service or store; with `answers`, each command is claimed in the store and answered through its
 * response_url, as it is in truth.
 */
interface Settings {
  /** Commands in the table; filled up with further ones behind the shipped ones. */
  commands: number
  answers?: { databaseUrl: string; sinkUrl: string }
}

serveMeasured(async ({ commands, answers }: Settings) => {
  const log = createLog('info')
  const now = () => new Date()
  const store = await openStore({ url: answers?.databaseUrl ?? 'sqlite::memory:', now })
  const service = createService({ baseUrls: NOWHERE })
  const { connections } = store
  const routes = shippedRoutes({
    connections,
    service,
    configured: {},
    hasOte: true,
    baseUrls: NOWHERE,
    prefix: '',
    pageSize: undefined,
    store,
    adminsOf: async () => [],
    queue: createQueue(store.work, () => undefined),
    orders: createCertOrders({ ...untold, store, now, createReference }).routes,
  })
  const [shipped] = routes.verbs.filter(({ verb }) => verb === '')
  if (!shipped) throw new Error('No feature answers a bare command.')
  for (let index = new Set(routes.verbs.map(({ command }) => command)).size; index < commands; index += 1) {
    routes.verb({ ...shipped, command: `other-${index}` })
  }
  const responder = createResponder(answers?.sinkUrl)
  const plan: RequestHandlers = (request) => {
    const verb = request.kind === 'command' ? routes.verbsOf(request.command)?.get('') : undefined
    if (!verb) throw new Error('The bench sends commands that are routed.')
    if (!answers) return {}
    return {
      async work({ responseUrl = '' }) {
        await responder.respond(responseUrl, { text: 'Done.', blocks: [] })
        return verb.command
      },
    }
  }
  const receiver = createReceiver({ signingSecret: SIGNING_SECRET, log, now })
  // No command of the bench changes anything.
  const acts = { take: fault, again: fault, carryOut: fault }
  const attend = createAttend({ replies: mute, log })
  const dispatch = createDispatch({ plan, acts, attend, log, createReference })
  createBolt(receiver, dispatch, log)
  return listening(
    createHttpServer({
      handlers: { '/slack/events': receiver.handle },
      ready: {},
      isStopping: () => false,
      log,
    }),
  )
})

/** Features want an address of the service to be built; none of it is asked for anything. */
const NOWHERE = { production: 'http://api.invalid', ote: 'http://ote.invalid' }

const fault = () => Promise.reject(new Error('No command of the bench has anything to be told.'))
/** Only problems would be told here, and a problem ends the run. */
const mute: Replies = { answer: fault, window: fault, view: fault }
/** No order of the bench has anybody to be told of. */
const untold = {
  messenger: { post: fault, direct: fault, edit: fault },
  mayPost: fault,
  findHolders: fault,
  nameOf: fault,
  apiOf: fault,
  mayApprove: fault,
  engine: () => undefined,
  report: () => undefined,
}
