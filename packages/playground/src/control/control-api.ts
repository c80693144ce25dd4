// This folder: the API of the page and the driver.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openHome } from '../actions/app-home.ts'
import { sendBlockAction } from '../actions/block-action.ts'
import { runCommand } from '../actions/command.ts'
import { loadOptions } from '../actions/load-options.ts'
import { closeModal, submitModal } from '../actions/modals.ts'
import { editMessage } from '../actions/own-message.ts'
import { postMessage } from '../actions/post-message.ts'
import { runShortcut } from '../actions/shortcut.ts'
import type { Faults } from '../api/faults.ts'
import { changePerson, joinOrLeaveChannel, shareChannel } from '../changes/membership.ts'
import { uninstall } from '../changes/uninstall.ts'
import type { AppLink } from '../delivery/app-link.ts'
import type { Sockets } from '../delivery/sockets.ts'
import type { RedeliverAnswer, SocketsAnswer, UploadAnswer } from '../protocol/answers.ts'
import { ImpossibleValueError } from '../protocol/choice-limits.ts'
import type { Json } from '../protocol/json.ts'
import { parseJson } from '../protocol/json.ts'
import { POSTS } from '../protocol/posts.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { currentTrace, runInNewTrace } from '../protocol/trace.ts'
import { ActionError, findActor } from '../state/actors.ts'
import { FILE_LIMIT_BYTES } from '../state/files.ts'
import type { World } from '../state/world.ts'
import type { HostPanel } from './host-panel.ts'
import { readPanel } from './panel.ts'
import { addScenario } from './scenario.ts'
import { takeSnapshot } from './snapshot.ts'

const readJson = (body: unknown): Json | undefined =>
  parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '')

function parseJsonBody(body: unknown): Json {
  const parsed = readJson(body)
  if (parsed === undefined) throw new ActionError('bad_post', 'The body must be JSON.')
  return parsed
}

/** A person dismisses an ephemeral message, or the warning on any other message. */
function dismiss(world: World, post: PostBody<'dismiss'>): Outcome {
  const { messages, log } = world
  const person = findActor(world, post.user)
  const message = messages.find(post.channel, post.ts)
  if (message?.readerId === person.id) messages.remove(message)
  else if (message) messages.change(message, { warning: null })
  else throw new ActionError('message_not_found', `There is no message ${post.ts} in ${post.channel}.`)
  return { ok: true, deliveryId: null, seq: log.seq }
}

async function redeliver(
  link: AppLink,
  { deliveryId, times = 1 }: PostBody<'redeliver'>,
): Promise<RedeliverAnswer> {
  const statuses = await link.resend(deliveryId, times)
  if (!statuses) throw new ActionError('delivery_not_found', `No request ${deliveryId} was sent to the app.`)
  return { ok: true, statuses }
}

function advanceClock({ clock, log }: World, { advanceMs }: PostBody<'clock'>): Outcome {
  clock.advance(advanceMs)
  return { ok: true, deliveryId: null, seq: log.seq }
}

function disruptSockets(sockets: Sockets, post: PostBody<'sockets'>): SocketsAnswer {
  const openCount = sockets.count()
  return { ok: true, open: openCount, affected: sockets.disrupt(post) }
}

function setZone({ people, log }: World, { tz }: PostBody<'zone'>): Outcome {
  people.setZone(tz)
  return { ok: true, deliveryId: null, seq: log.seq }
}

/** Deletes all messages and files. */
function reset({ messages, files, log }: World): Outcome {
  messages.clear()
  files.clear()
  log.append({ type: 'reset' }, null)
  return { ok: true, deliveryId: null, seq: log.seq }
}

/** The parts of the playground, besides the world and the app, that the page and the driver control. */
export interface ControlParts {
  faults: Faults
  /** The panels of the program that started the playground. */
  panels: readonly HostPanel[]
  /** The app's WebSockets, if its manifest enables Socket Mode. */
  sockets: Sockets
  /** Aborted when the playground closes. */
  closing: AbortSignal
}

type PostHandler = (body: unknown) => object

const handle =
  <T>(read: (body: Json) => T | string, handler: (post: T) => object): PostHandler =>
  (body) => {
    const post = read(parseJsonBody(body))
    if (typeof post === 'string') throw new ActionError('bad_post', post)
    return handler(post)
  }

/** The POST handlers, by path below `/_playground/`. */
function postHandlers(
  world: World,
  link: AppLink,
  { faults, panels, sockets }: ControlParts,
): Record<string, PostHandler> {
  const handleAction = <T>(
    read: (body: Json) => T | string,
    action: (world: World, link: AppLink, post: T) => object,
  ) => handle(read, (post) => action(world, link, post))
  return {
    command: handleAction(POSTS.command, runCommand),
    edit: handleAction(POSTS.edit, editMessage),
    message: handleAction(POSTS.message, postMessage),
    action: handleAction(POSTS.action, sendBlockAction),
    options: handleAction(POSTS.options, loadOptions),
    submit: handleAction(POSTS.submit, submitModal),
    close: handle(POSTS.close, (post) => closeModal(world, post)),
    shortcut: handleAction(POSTS.shortcut, runShortcut),
    home: handleAction(POSTS.home, openHome),
    dismiss: handle(POSTS.dismiss, (post) => dismiss(world, post)),
    membership: handleAction(POSTS.membership, joinOrLeaveChannel),
    share: handleAction(POSTS.share, shareChannel),
    panel: handle(POSTS.panel, (post) => readPanel(world, panels, post)),
    person: handleAction(POSTS.person, changePerson),
    redeliver: handle(POSTS.redeliver, (post) => redeliver(link, post)),
    sockets: handle(POSTS.sockets, (post) => disruptSockets(sockets, post)),
    reset: () => reset(world),
    scenario: handle(POSTS.scenario, (post) => addScenario(world, post)),
    clock: handle(POSTS.clock, (post) => advanceClock(world, post)),
    zone: handle(POSTS.zone, (post) => setZone(world, post)),
    uninstall: handleAction(POSTS.uninstall, uninstall),
    faults: handle(POSTS.faults, (next) => {
      faults.replace(next)
      return { ok: true }
    }),
  }
}

function upload(world: World, query: Record<string, string | undefined>, body: unknown): UploadAnswer {
  const person = findActor(world, query.user ?? '')
  if (!query.name)
    throw new ActionError('bad_post', 'Add the file name: /_playground/upload?user=U…&name=data.csv')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new ActionError('empty_file', 'The file is empty.')
  if (body.length > FILE_LIMIT_BYTES)
    throw new ActionError('file_too_large', 'A file may have at most 20 MB.')
  return { ok: true, file: world.files.add(query.name, person.id, body).info }
}

/** Adds the trace ID to an action's outcome. Events that the action causes later have the same ID. */
const withTrace = (outcome: object): object =>
  'seq' in outcome ? { ...outcome, trace: currentTrace() } : outcome

/** The error code for an invalid request; undefined for an internal error. */
function errorCode(error: unknown): string | undefined {
  if (error instanceof ActionError) return error.code
  return error instanceof ImpossibleValueError ? 'impossible_value' : undefined
}

const MAX_WAIT_MS = 30_000

type EventQuery = { Querystring: { user?: string; after?: string; wait?: string; deliveries?: string } }

function readNumber(text: string | undefined, fallback: number): number {
  const value = Number(text)
  return text !== undefined && Number.isInteger(value) && value >= 0 ? value : fallback
}

/** Registers the route for events, by long polling. */
function registerEventRoute(app: FastifyInstance, world: Pick<World, 'log'>, closing: AbortSignal): void {
  app.get<EventQuery>('/_playground/events', async (request, reply) => {
    const { user = '', after, wait, deliveries } = request.query
    const disconnected = new AbortController()
    reply.raw.on('close', () => disconnected.abort())
    const signal = AbortSignal.any([disconnected.signal, closing])
    const waitMs = Math.min(MAX_WAIT_MS, readNumber(wait, 0))
    return world.log.wait(user, readNumber(after, world.log.seq), {
      waitMs,
      signal,
      skipsDeliveries: deliveries === '0',
    })
  })
}

type ControlRequest = FastifyRequest<{ Querystring: Record<string, string> }>

/** Registers the routes that the page and the driver use, as documented in protocol.ts. */
export function registerControlApi(
  app: FastifyInstance,
  world: World,
  link: AppLink,
  parts: ControlParts,
): void {
  const { closing } = parts
  registerEventRoute(app, world, closing)
  const route = (method: 'GET' | 'POST', path: string, handler: (request: ControlRequest) => unknown) =>
    app.route<{ Querystring: Record<string, string> }>({
      method,
      url: `/_playground/${path}`,
      handler: async (request, reply) => {
        try {
          return reply.send(await handler(request))
        } catch (error) {
          const code = errorCode(error)
          if (code === undefined || !(error instanceof Error)) throw error
          return reply.code(400).send({ ok: false, error: code, message: error.message })
        }
      },
    })
  for (const [name, handlePost] of Object.entries(postHandlers(world, link, parts)))
    route('POST', name, ({ body }) => runInNewTrace(async () => withTrace(await handlePost(body))))
  route('POST', 'upload', ({ query, body }) => upload(world, query, body))
  route('GET', 'state', ({ query: { user = world.people.actors[0] ?? '', history: limit } }) =>
    takeSnapshot(world, parts, user, limit === undefined ? undefined : Number(limit)),
  )
  route('GET', 'deliveries', () => ({ deliveries: world.journal.list() }))
}
