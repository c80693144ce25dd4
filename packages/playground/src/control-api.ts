import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pressElement } from './acts/action.ts'
import { runCommand } from './acts/command.ts'
import { openEntity, pressEntity } from './acts/entities.ts'
import { verifyUrl } from './acts/event.ts'
import { joinOrLeaveGroup } from './acts/groups.ts'
import { previewLinks } from './acts/links.ts'
import { changeOwnChannel, changePerson, createChannel, joinOrLeave } from './acts/membership.ts'
import { deleteMessage, editMessage } from './acts/own-message.ts'
import { pin, react } from './acts/react.ts'
import { openHome, say, startThread } from './acts/say.ts'
import { runShortcut } from './acts/shortcut.ts'
import { runStep } from './acts/steps.ts'
import { closeView, submit } from './acts/submit.ts'
import { suggest } from './acts/suggest.ts'
import { callMcpServer } from './acts/tools.ts'
import { changeAccess, uninstall } from './acts/uninstall.ts'
import { DocumentFault } from './document.ts'
import { FILE_LIMIT_BYTES } from './files.ts'
import { history, readCount } from './history.ts'
import { parseJson } from './json.ts'
import { readPanel } from './panel.ts'
import { ImpossibleValue } from './pickable.ts'
import { POSTS } from './posts.ts'
import type { Fields, Json, Outcome, Post, RedeliverAnswer, SocketsAnswer, UploadAnswer } from './protocol.ts'
import { loadScenario } from './scenario/apply.ts'
import { toStep } from './scenario/recorder.ts'
import { actor, Refused, type Slack } from './slack.ts'
import { snapshot } from './snapshot.ts'
import { currentTrace, runInNewTrace, runInTraceOf } from './trace.ts'

function jsonBody(body: unknown): Json {
  const parsed = parseJson(Buffer.isBuffer(body) ? body.toString('utf8') : '')
  if (parsed === undefined) throw new Refused('bad_post', 'The body must be JSON.')
  return parsed
}

function fieldsBody(body: unknown): Fields {
  const parsed = jsonBody(body)
  if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed))
    throw new Refused('bad_post', 'The body must be a JSON object.')
  return parsed
}

function dismiss({ messages, log, ...slack }: Slack, post: Post<'delete'>): Outcome {
  const person = actor(slack, post.user)
  const message = messages.find(post.channel, post.ts)
  if (message?.readerId === person.id) messages.remove(message)
  else if (message) messages.change(message, { warning: null })
  else throw new Refused('message_not_found', `There is no message ${post.ts} in ${post.channel}.`)
  return { ok: true, deliveryId: null, seq: log.seq }
}

async function redeliver(
  { appClient }: Slack,
  { deliveryId, times = 1 }: Post<'redeliver'>,
): Promise<RedeliverAnswer> {
  const statuses = await appClient.resend(deliveryId, times)
  if (!statuses) throw new Refused('delivery_not_found', `No request ${deliveryId} was sent to the app.`)
  return { ok: true, statuses }
}

function setClock({ clock, schedule, log }: Slack, { at, advanceMs }: Post<'clock'>): Outcome {
  if (at !== undefined) clock.set(new Date(at))
  clock.advance(advanceMs ?? 0)
  // Messages that become due aren't caused by whoever moves the clock.
  runInTraceOf(undefined, schedule.postDue)
  return { ok: true, deliveryId: null, seq: log.seq }
}

function setZone({ people, log }: Slack, { tz }: Post<'zone'>): Outcome {
  people.setDefaultZone(tz)
  return { ok: true, deliveryId: null, seq: log.seq }
}

function record({ recorder, log }: Slack, { on = true }: Post<'record'>): Outcome {
  if (on) recorder.start()
  else recorder.stop()
  return { ok: true, deliveryId: null, seq: log.seq }
}

function disruptSockets({ sockets }: Slack, post: Post<'sockets'>): SocketsAnswer {
  const open = sockets.count()
  return { ok: true, open, affected: sockets.disrupt(post) }
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

/** Path below `/_playground/` → the handler of its POST requests. */
function postHandlers(slack: Slack): Record<string, (body: unknown) => object> {
  const on =
    <T>(read: (body: Json) => T | string, act: (slack: Slack, post: T) => object) =>
    (body: unknown) => {
      const post = read(jsonBody(body))
      if (typeof post === 'string') throw new Refused('bad_post', post)
      return act(slack, post)
    }
  return {
    command: on(POSTS.command, runCommand),
    edit: on(POSTS.edit, editMessage),
    delete: on(POSTS.delete, deleteMessage),
    message: on(POSTS.message, say),
    links: on(POSTS.links, previewLinks),
    thread: on(POSTS.thread, startThread),
    action: on(POSTS.action, pressElement),
    options: on(POSTS.options, suggest),
    submit: on(POSTS.submit, submit),
    close: on(POSTS.close, closeView),
    shortcut: on(POSTS.shortcut, runShortcut),
    home: on(POSTS.home, openHome),
    dismiss: on(POSTS.dismiss, dismiss),
    react: on(POSTS.react, react),
    pin: on(POSTS.pin, pin),
    membership: on(POSTS.membership, joinOrLeave),
    group: on(POSTS.group, joinOrLeaveGroup),
    channel: on(POSTS.channel, changeOwnChannel),
    'new-channel': on(POSTS['new-channel'], createChannel),
    step: on(POSTS.step, runStep),
    entity: on(POSTS.entity, openEntity),
    'entity-action': on(POSTS['entity-action'], pressEntity),
    tools: on(POSTS.tools, callMcpServer),
    panel: on(POSTS.panel, readPanel),
    person: on(POSTS.person, changePerson),
    redeliver: on(POSTS.redeliver, redeliver),
    sockets: on(POSTS.sockets, disruptSockets),
    verify: () => verifyUrl(slack),
    reset: () => reset(slack),
    scenario: (body) => loadScenario(slack, Buffer.isBuffer(body) ? body.toString('utf8') : ''),
    clock: on(POSTS.clock, setClock),
    zone: on(POSTS.zone, setZone),
    record: on(POSTS.record, record),
    uninstall: on(POSTS.uninstall, uninstall),
    access: on(POSTS.access, changeAccess),
    faults: on(POSTS.faults, ({ faults }, next) => {
      faults.replace(next)
      return { faults: faults.list() }
    }),
  }
}

function upload(slack: Slack, query: Record<string, string | undefined>, body: unknown): UploadAnswer {
  const person = actor(slack, query.user ?? '')
  if (!query.name)
    throw new Refused('bad_post', 'Add the file name: /_playground/upload?user=U…&name=data.csv')
  if (!Buffer.isBuffer(body) || body.length === 0) throw new Refused('empty_file', 'The file is empty.')
  if (body.length > FILE_LIMIT_BYTES) throw new Refused('file_too_large', 'A file may have at most 20 MB.')
  return { ok: true, file: slack.files.add(query.name, person.id, body).info }
}

/** Adds the trace ID that later effects of the action carry too. */
const withTrace = (outcome: object): object =>
  'seq' in outcome ? { ...outcome, trace: currentTrace() } : outcome

/** The error code if the post itself is wrong, otherwise undefined. */
function errorCode(error: unknown): string | undefined {
  if (error instanceof Refused) return error.code
  if (error instanceof DocumentFault) return 'bad_scenario'
  return error instanceof ImpossibleValue ? 'impossible_value' : undefined
}

type ControlRequest = FastifyRequest<{ Querystring: Record<string, string> }>

/** The routes of protocol.ts that aren't streams: what a person does, and what a test reads. */
export function controlApi(app: FastifyInstance, slack: Slack): void {
  const route = (method: 'GET' | 'POST', path: string, handler: (asked: ControlRequest) => unknown) =>
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
  for (const [name, doing] of Object.entries(postHandlers(slack)))
    route('POST', name, async ({ body }) => {
      const step = slack.recorder.isOn() ? toStep(slack, name, fieldsBody(body)) : undefined
      const outcome = await runInNewTrace(async () => withTrace(await doing(body)))
      slack.recorder.addStep(step)
      return outcome
    })
  route('POST', 'upload', ({ query, body }) => upload(slack, query, body))
  route('GET', 'state', ({ query: { user = slack.people.actors[0] ?? '', history: limit, deliveries } }) => {
    const all = snapshot(slack, user, readCount(limit))
    return deliveries === '0' ? { ...all, deliveries: undefined } : all
  })
  route('GET', 'history', ({ query }) => history(slack, query))
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
