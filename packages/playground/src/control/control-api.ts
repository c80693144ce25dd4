import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openHome } from '../actions/app-home.ts'
import { startAssistantThread } from '../actions/assistant-thread.ts'
import { sendBlockAction } from '../actions/block-action.ts'
import { runCommand } from '../actions/command.ts'
import { loadOptions } from '../actions/load-options.ts'
import { closeModal, submitModal } from '../actions/modals.ts'
import { deleteMessage, editMessage } from '../actions/own-message.ts'
import { postMessage } from '../actions/post-message.ts'
import { runShortcut } from '../actions/shortcut.ts'
import { callMcpServer } from '../actions/tools.ts'
import { openEntity, pressEntityAction } from '../changes/entities.ts'
import { joinOrLeaveGroup } from '../changes/groups.ts'
import { previewLinks } from '../changes/links.ts'
import { changeOwnChannel, changePerson, createChannel, joinOrLeaveChannel } from '../changes/membership.ts'
import { pinMessage, reactToMessage } from '../changes/reactions.ts'
import { runStep } from '../changes/steps.ts'
import { setWorkspaceAccess, uninstall } from '../changes/uninstall.ts'
import { verifyRequestUrl } from '../delivery/event.ts'
import { DocumentError } from '../manifest/document.ts'
import type { RedeliverAnswer, SocketsAnswer, UploadAnswer } from '../protocol/answers.ts'
import { ImpossibleValueError } from '../protocol/choice-limits.ts'
import type { Json } from '../protocol/json.ts'
import { isFields, parseJson } from '../protocol/json.ts'
import { POSTS } from '../protocol/posts.ts'
import type { Outcome, PostBody } from '../protocol/protocol.ts'
import { currentTrace, runInNewTrace, runInTraceFrom } from '../protocol/trace.ts'
import { ActionError, findActor } from '../state/actors.ts'
import { FILE_LIMIT_BYTES } from '../state/files.ts'
import type { Slack } from '../state/world.ts'
import { loadScenario } from './apply.ts'
import { readCount, readHistory } from './history.ts'
import { readPanel } from './panel.ts'
import { toStep } from './recorder.ts'
import { takeSnapshot } from './snapshot.ts'

const readJson = (body: unknown): Json | undefined =>
  parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '')

function parseJsonBody(body: unknown): Json {
  const parsed = readJson(body)
  if (parsed === undefined) throw new ActionError('bad_post', 'The body must be JSON.')
  return parsed
}

/** A person dismisses an ephemeral message, or the warning on any other message. */
function dismiss({ messages, log, ...slack }: Slack, post: PostBody<'delete'>): Outcome {
  const person = findActor(slack, post.user)
  const message = messages.find(post.channel, post.ts)
  if (message?.readerId === person.id) messages.remove(message)
  else if (message) messages.change(message, { warning: null })
  else throw new ActionError('message_not_found', `There is no message ${post.ts} in ${post.channel}.`)
  return { ok: true, deliveryId: null, seq: log.seq }
}

async function redeliver(
  { appClient }: Slack,
  { deliveryId, times = 1 }: PostBody<'redeliver'>,
): Promise<RedeliverAnswer> {
  const statuses = await appClient.resend(deliveryId, times)
  if (!statuses) throw new ActionError('delivery_not_found', `No request ${deliveryId} was sent to the app.`)
  return { ok: true, statuses }
}

function setClock({ clock, schedule, log }: Slack, { at, advanceMs }: PostBody<'clock'>): Outcome {
  if (at !== undefined) clock.set(new Date(at))
  clock.advance(advanceMs ?? 0)
  // The scheduled messages that become due don't belong to the trace of the request that moved the clock.
  runInTraceFrom(undefined, schedule.postDue)
  return { ok: true, deliveryId: null, seq: log.seq }
}

function setZone({ people, log }: Slack, { tz }: PostBody<'zone'>): Outcome {
  people.setDefaultZone(tz)
  return { ok: true, deliveryId: null, seq: log.seq }
}

function record({ recorder, log }: Slack, { on = true }: PostBody<'record'>): Outcome {
  if (on) recorder.start()
  else recorder.stop()
  return { ok: true, deliveryId: null, seq: log.seq }
}

function disruptSockets({ sockets }: Slack, post: PostBody<'sockets'>): SocketsAnswer {
  const openCount = sockets.count()
  return { ok: true, open: openCount, affected: sockets.disrupt(post) }
}

/** Deletes all messages and files, then restores the initial messages. */
function reset({ messages, files, store, log, seed }: Slack): Outcome {
  messages.clear()
  files.clear()
  store.clear()
  seed()
  log.append({ type: 'reset' }, null)
  return { ok: true, deliveryId: null, seq: log.seq }
}

/** The POST handlers, by path below `/_playground/`. */
function postHandlers(slack: Slack): Record<string, (body: unknown) => object> {
  const handle =
    <T>(read: (body: Json) => T | string, handler: (slack: Slack, post: T) => object) =>
    (body: unknown) => {
      const post = read(parseJsonBody(body))
      if (typeof post === 'string') throw new ActionError('bad_post', post)
      return handler(slack, post)
    }
  return {
    command: handle(POSTS.command, runCommand),
    edit: handle(POSTS.edit, editMessage),
    delete: handle(POSTS.delete, deleteMessage),
    message: handle(POSTS.message, postMessage),
    links: handle(POSTS.links, previewLinks),
    thread: handle(POSTS.thread, startAssistantThread),
    action: handle(POSTS.action, sendBlockAction),
    options: handle(POSTS.options, loadOptions),
    submit: handle(POSTS.submit, submitModal),
    close: handle(POSTS.close, closeModal),
    shortcut: handle(POSTS.shortcut, runShortcut),
    home: handle(POSTS.home, openHome),
    dismiss: handle(POSTS.dismiss, dismiss),
    react: handle(POSTS.react, reactToMessage),
    pin: handle(POSTS.pin, pinMessage),
    membership: handle(POSTS.membership, joinOrLeaveChannel),
    group: handle(POSTS.group, joinOrLeaveGroup),
    channel: handle(POSTS.channel, changeOwnChannel),
    'new-channel': handle(POSTS['new-channel'], createChannel),
    step: handle(POSTS.step, runStep),
    entity: handle(POSTS.entity, openEntity),
    'entity-action': handle(POSTS['entity-action'], pressEntityAction),
    tools: handle(POSTS.tools, callMcpServer),
    panel: handle(POSTS.panel, readPanel),
    person: handle(POSTS.person, changePerson),
    redeliver: handle(POSTS.redeliver, redeliver),
    sockets: handle(POSTS.sockets, disruptSockets),
    verify: () => verifyRequestUrl(slack),
    reset: () => reset(slack),
    scenario: (body) => loadScenario(slack, Buffer.isBuffer(body) ? body.toString('utf8') : ''),
    clock: handle(POSTS.clock, setClock),
    zone: handle(POSTS.zone, setZone),
    record: handle(POSTS.record, record),
    uninstall: handle(POSTS.uninstall, uninstall),
    access: handle(POSTS.access, setWorkspaceAccess),
    faults: handle(POSTS.faults, ({ faults }, next) => {
      faults.replace(next)
      return { faults: faults.list() }
    }),
  }
}

function upload(slack: Slack, query: Record<string, string | undefined>, body: unknown): UploadAnswer {
  const person = findActor(slack, query.user ?? '')
  if (!query.name)
    throw new ActionError('bad_post', 'Add the file name: /_playground/upload?user=U…&name=data.csv')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new ActionError('empty_file', 'The file is empty.')
  if (body.length > FILE_LIMIT_BYTES)
    throw new ActionError('file_too_large', 'A file may have at most 20 MB.')
  return { ok: true, file: slack.files.add(query.name, person.id, body).info }
}

/** Adds the trace ID to an action's outcome. Events that the action causes later have the same ID. */
const withTrace = (outcome: object): object =>
  'seq' in outcome ? { ...outcome, trace: currentTrace() } : outcome

/** The error code for an invalid request; undefined for an internal error. */
function errorCode(error: unknown): string | undefined {
  if (error instanceof ActionError) return error.code
  if (error instanceof DocumentError) return 'bad_scenario'
  return error instanceof ImpossibleValueError ? 'impossible_value' : undefined
}

type ControlRequest = FastifyRequest<{ Querystring: Record<string, string> }>

/** Registers the routes that the page and the driver use, as documented in protocol.ts. The routes for events are in stream.ts. */
export function registerControlApi(app: FastifyInstance, slack: Slack): void {
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
  for (const [name, handlePost] of Object.entries(postHandlers(slack)))
    route('POST', name, async ({ body }) => {
      // Every request that can be recorded has a JSON body.
      const fields = slack.recorder.isOn() ? readJson(body) : undefined
      const step = isFields(fields) ? toStep(slack, name, fields) : undefined
      const outcome = await runInNewTrace(async () => withTrace(await handlePost(body)))
      slack.recorder.addStep(step)
      return outcome
    })
  route('POST', 'upload', ({ query, body }) => upload(slack, query, body))
  route('GET', 'state', ({ query: { user = slack.people.actors[0] ?? '', history: limit, deliveries } }) => {
    const state = takeSnapshot(slack, user, readCount(limit))
    return deliveries === '0' ? { ...state, deliveries: undefined } : state
  })
  route('GET', 'history', ({ query }) => readHistory(slack, query))
  route('GET', 'deliveries', () => ({ deliveries: slack.journal.list() }))
  route('GET', 'recording', () => slack.recorder.scenario())
  route('GET', 'faults', () => ({ faults: slack.faults.list() }))
  app.get('/_playground/store', (_request, reply) =>
    reply
      .type('application/vnd.sqlite3')
      .header('content-disposition', 'attachment; filename="playground.db"')
      .send(slack.store.snapshot()),
  )
}
