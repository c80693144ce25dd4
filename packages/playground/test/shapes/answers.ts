import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { createClock, receivedEvents, startWorld, type World } from '../app.ts'
import { plain } from '../validation/samples.ts'

const MANIFEST = new URL('manifest.yml', import.meta.url).pathname
const CHANNEL = 'C0GENERAL1'
const modal: Fields = {
  type: 'modal',
  title: plain('Title'),
  blocks: [{ type: 'section', text: plain('x') }],
}
const home: Fields = { type: 'home', blocks: [{ type: 'section', text: plain('x') }] }
const content: Fields = { blocks: [{ type: 'section', text: plain('x') }] }

const getPath = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>(
    (inner, key) => (Array.isArray(inner) ? inner[Number(key)] : isFields(inner) ? inner[key] : undefined),
    value,
  )

export interface Answers {
  /** The responses by method, in the order of the calls. */
  methods: Record<string, Fields[]>
  /** The events by type, or if they have a subtype, by type and subtype. */
  events: Record<string, Fields[]>
}

type Call = (method: string, args?: object) => Promise<Fields>

/** Calls every supported method successfully, and triggers every event. */
export async function collectAnswers(): Promise<Answers> {
  const clock = createClock()
  await using world = await startWorld(undefined, { manifestPath: MANIFEST, now: clock.now })
  const methods: Answers['methods'] = {}
  async function call(method: string, args: object = {}): Promise<Fields> {
    const { status: _status, retryAfter: _retryAfter, ...answer } = await world.api(method, args)
    if (answer.ok !== true) throw new Error(`${method}: ${JSON.stringify(answer)}`)
    methods[method] = [...(methods[method] ?? []), answer]
    return answer
  }
  await callPeopleMethods(world, call)
  await callMessageMethods(world, call)
  await callFileMethods(world, call)
  await callChannelMethods(call)
  await callViewMethods(world, call)
  await triggerEvents(world)
  const events: Answers['events'] = {}
  for (const event of receivedEvents(world)) {
    const name = event.subtype === undefined ? String(event.type) : `${event.type} ${event.subtype}`
    events[name] = [...(events[name] ?? []), event]
  }
  return { methods, events }
}

async function callPeopleMethods({ slack }: World, call: Call): Promise<void> {
  await slack.member.updateAccount({ role: 'member' })
  for (const method of ['auth.test', 'users.list']) await call(method)
  for (const user of ['U0MEMBER01', 'U0LEFT0001', 'U0PLAYGBOT', 'U0GUEST001', 'U0FOREIGN1'])
    await call('users.info', { user })
  await call('usergroups.list')
  await call('usergroups.users.list', { usergroup: 'S0ONCALL01' })
}

async function callMessageMethods({ slack }: World, call: Call): Promise<void> {
  const metadata = { event_type: 'task_created', event_payload: { id: '7' } }
  const { ts } = await call('chat.postMessage', { channel: CHANNEL, text: 'parent', metadata })
  await call('chat.postMessage', { channel: CHANNEL, text: 'reply', thread_ts: ts, ...content })
  await slack.member.say('a person’s reply', { threadTs: String(ts) })
  await call('chat.update', { channel: CHANNEL, ts, text: 'changed', ...content })
  await call('chat.postEphemeral', { channel: CHANNEL, user: 'U0MEMBER01', text: 'for one' })
  await call('conversations.history', { channel: CHANNEL, include_all_metadata: true })
  await call('conversations.replies', { channel: CHANNEL, ts })
  await slack.member.say('<@U0PLAYGBOT> look', { channel: 'general', threadTs: String(ts) })
}

async function callFileMethods({ slack }: World, call: Call): Promise<void> {
  const uploadTarget = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 3 })
  await fetch(String(uploadTarget.upload_url), { method: 'POST', body: 'abc' })
  await call('files.completeUploadExternal', { files: [{ id: uploadTarget.file_id }], channel_id: CHANNEL })
  await call('files.info', { file: uploadTarget.file_id })
  const file = await slack.member.upload('b.csv', 'a,b')
  const { ts } = await slack.member.say('with a file', { files: [file.id] })
  await call('conversations.replies', { channel: CHANNEL, ts })
  const other = await slack.member.upload('c.csv', 'a,b')
  await slack.member.say('with a file', { files: [other.id], channel: 'dm' })
  await call('files.info', { file: other.id })
  await call('conversations.history', { channel: CHANNEL })
}

async function callChannelMethods(call: Call): Promise<void> {
  for (const method of ['conversations.info', 'conversations.members'])
    await call(method, { channel: CHANNEL })
  await call('users.conversations', { types: 'public_channel,im' })
}

/** Calls methods about views, which need a trigger. */
async function callViewMethods({ slack, sent }: World, call: Call): Promise<void> {
  await slack.member.command('/hc', '', { until: () => true })
  const trigger_id = sent.findLast(({ body }) => body.command)?.body.trigger_id
  const opened = await call('views.open', { trigger_id, view: modal })
  await call('views.update', { view_id: getPath(opened, 'view', 'id'), view: modal })
  await call('views.publish', { user_id: 'U0MEMBER01', view: home })
}

/** Triggers the events that the calls above don't trigger. */
async function triggerEvents({ slack, waitForEvent }: World): Promise<void> {
  const { member } = slack
  await member.openHome({ until: () => true })
  await member.say('hello @shapes')
  const direct = await member.say('hello', { channel: 'dm' })
  await member.edit(direct, 'hello again')
  await member.leave('operations')
  await member.join('operations')
  await member.shareChannel('general', 'Partner Company')
  await slack.uninstall('T0PLAYGRND')
  await waitForEvent('tokens_revoked')
}
