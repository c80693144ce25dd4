import type { Fields, Json } from '../../src/protocol/json.ts'
import { isFields } from '../../src/protocol/json.ts'
import { createClock, receivedEvents, startWorld, type World } from '../app.ts'

const MANIFEST = new URL('manifest.yml', import.meta.url).pathname
const CHANNEL = 'C0GENERAL1'
const plain = (text: string): Fields => ({ type: 'plain_text', text })
const modal: Fields = {
  type: 'modal',
  title: plain('Title'),
  blocks: [{ type: 'section', text: plain('x') }],
}
const home: Fields = { type: 'home', blocks: [{ type: 'section', text: plain('x') }] }
const content: Fields = {
  blocks: [{ type: 'section', text: plain('x') }],
  attachments: [{ text: 'x' }],
}
const recipient = { recipient_user_id: 'U0MEMBER01', recipient_team_id: 'T0PLAYGRND' }

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

/** Calls every supported method successfully, and triggers every event. */
export async function collectAnswers(): Promise<Answers> {
  const clock = createClock()
  await using world = await startWorld(undefined, { manifestPath: MANIFEST, rate: 'off', now: clock.now })
  const methods: Answers['methods'] = {}
  async function call(method: string, args: object = {}, token?: string): Promise<Fields> {
    const { status: _status, retryAfter: _retryAfter, ...answer } = await world.api(method, args, token)
    if (answer.ok !== true) throw new Error(`${method}: ${JSON.stringify(answer)}`)
    methods[method] = [...(methods[method] ?? []), answer]
    return answer
  }
  await callWorkspaceMethods(world, call)
  await callMessageMethods(world, call, Math.floor(clock.now().getTime() / 1000) + 60)
  await callFileMethods(world, call)
  await callChannelMethods(world, call)
  await callViewMethods(world, call)
  await triggerEvents(world)
  const events: Answers['events'] = {}
  for (const event of receivedEvents(world)) {
    const name = event.subtype === undefined ? String(event.type) : `${event.type} ${event.subtype}`
    events[name] = [...(events[name] ?? []), event]
  }
  return { methods, events }
}

type Call = (method: string, args?: object, token?: string) => Promise<Fields>

/** Calls methods about people, the workspace, and user groups. */
async function callWorkspaceMethods({ slack }: World, call: Call): Promise<void> {
  await slack.member.updateAccount({ title: 'Operator', status: { text: 'On call', emoji: ':phone:' } })
  for (const method of ['api.test', 'auth.test', 'auth.teams.list', 'users.list', 'emoji.list', 'team.info'])
    await call(method)
  for (const user of ['U0MEMBER01', 'U0LEFT0001', 'U0PLAYGBOT', 'U0GUEST001', 'U0FOREIGN1'])
    await call('users.info', { user, include_locale: true })
  await call('users.lookupByEmail', { email: 'member@example.com' })
  for (const method of ['users.profile.get', 'users.getPresence', 'dnd.info'])
    await call(method, { user: 'U0MEMBER01' })
  await call('dnd.teamInfo', { users: 'U0MEMBER01' })
  await call('bots.info', { bot: 'B0PLAYGRND' })
  await call('team.profile.get')
  const usergroup = getPath(await call('usergroups.create', { name: 'Crew' }), 'usergroup', 'id')
  await call('usergroups.users.update', { usergroup, users: 'U0MEMBER01' })
  await call('usergroups.users.list', { usergroup })
  await call('usergroups.update', { usergroup, name: 'Our crew' })
  await call('usergroups.list', { include_users: true })
  await call('usergroups.disable', { usergroup })
  await call('usergroups.enable', { usergroup })
}

/** Calls methods about messages, threads, reactions, and pins. */
async function callMessageMethods({ slack }: World, call: Call, postAt: number): Promise<void> {
  const metadata = { event_type: 'task_created', event_payload: { id: '7' } }
  const { ts } = await call('chat.postMessage', { channel: CHANNEL, text: 'parent', metadata })
  await call('chat.postMessage', { channel: CHANNEL, text: 'reply', thread_ts: ts, ...content })
  await call('chat.postMessage', { channel: CHANNEL, text: 'named', username: 'Name', icon_emoji: ':wave:' })
  await call('chat.postMessage', { channel: CHANNEL, text: 'named', icon_url: 'https://example.com/a.png' })
  await slack.member.say('a person’s reply', { threadTs: String(ts) })
  await call('chat.update', { channel: CHANNEL, ts, text: 'changed', ...content })
  await call('chat.meMessage', { channel: CHANNEL, text: 'waves' })
  await call('chat.postEphemeral', { channel: CHANNEL, user: 'U0MEMBER01', text: 'for one' })
  await call('chat.getPermalink', { channel: CHANNEL, message_ts: ts })
  const item = { channel: CHANNEL, timestamp: ts }
  await call('reactions.add', { ...item, name: 'wave' })
  await call('reactions.get', item)
  await call('reactions.list')
  await call('pins.add', item)
  await call('pins.list', { channel: CHANNEL })
  await call('conversations.history', { channel: CHANNEL, include_all_metadata: true })
  await call('conversations.replies', { channel: CHANNEL, ts })
  await call('reactions.remove', { ...item, name: 'wave' })
  await call('pins.remove', item)
  const stream = {
    channel: CHANNEL,
    ts: (await call('chat.startStream', { channel: CHANNEL, thread_ts: ts, ...recipient })).ts,
  }
  await call('chat.appendStream', { ...stream, markdown_text: 'more' })
  await call('chat.stopStream', stream)
  const first = await call('chat.scheduleMessage', {
    channel: CHANNEL,
    text: 'later',
    post_at: postAt,
    metadata,
  })
  await call('chat.scheduledMessages.list')
  const { scheduled_message_id } = first
  await call('chat.deleteScheduledMessage', { channel: CHANNEL, scheduled_message_id })
  await slack.member.say('see https://example.com/x', { channel: 'general' })
  await slack.member.say('<@U0PLAYGBOT> see https://example.com/x', {
    channel: 'general',
    threadTs: String(ts),
  })
  const assistantThread = await slack.member.startThread({ from: 'general' })
  await slack.member.viewChannel('random', assistantThread)
  const thread = { channel_id: assistantThread.channel, thread_ts: assistantThread.ts }
  await call('assistant.threads.setStatus', { ...thread, status: 'is thinking…' })
  await call('assistant.threads.setTitle', { ...thread, title: 'Title' })
  await call('assistant.threads.setSuggestedPrompts', { ...thread, prompts: [{ title: 'a', message: 'b' }] })
  await call('chat.delete', { channel: CHANNEL, ts })
}

async function callFileMethods({ slack }: World, call: Call): Promise<void> {
  const uploadTarget = await call('files.getUploadURLExternal', { filename: 'a.txt', length: 3 })
  await fetch(String(uploadTarget.upload_url), { method: 'POST', body: 'abc' })
  await call('files.completeUploadExternal', { files: [{ id: uploadTarget.file_id }], channel_id: CHANNEL })
  await call('files.info', { file: uploadTarget.file_id })
  await call('files.list')
  const file = await slack.member.upload('b.csv', 'a,b')
  const { ts } = await slack.member.say('with a file', { files: [file.id] })
  await call('conversations.replies', { channel: CHANNEL, ts })
  const other = await slack.member.upload('c.csv', 'a,b')
  await slack.member.say('with a file', { files: [other.id], channel: 'dm' })
  await call('files.info', { file: other.id })
  await call('conversations.history', { channel: CHANNEL })
  await call('files.delete', { file: uploadTarget.file_id })
}

/** Calls methods about channels and bookmarks. */
async function callChannelMethods(world: World, call: Call): Promise<void> {
  for (const method of ['conversations.info', 'conversations.members'])
    await call(method, { channel: CHANNEL })
  await call('conversations.info', { channel: CHANNEL, include_num_members: true, include_locale: true })
  await call('conversations.list', { types: 'public_channel,private_channel,mpim,im' })
  await call('users.conversations', { types: 'public_channel,im' })
  await call('conversations.mark', { channel: CHANNEL, ts: '1.000000' })
  for (const users of ['U0MEMBER01', 'U0MEMBER01,U0ADMIN001']) await call('conversations.open', { users })
  await call('conversations.open', { users: 'U0ADMIN001', return_im: true })
  for (const is_private of [false, true]) {
    const created = await call('conversations.create', { name: is_private ? 'closed' : 'open', is_private })
    const channel = getPath(created, 'channel', 'id')
    await call('conversations.invite', { channel, users: 'U0MEMBER01,U0ADMIN001' })
    await call('conversations.kick', { channel, user: 'U0ADMIN001' })
    await call('conversations.rename', { channel, name: is_private ? 'closed-2' : 'open-2' })
    await call('conversations.setTopic', { channel, topic: 'Topic' })
    await call('conversations.setPurpose', { channel, purpose: 'Purpose' })
    await call('conversations.history', { channel })
    await call('conversations.archive', { channel })
    // Bots can't unarchive channels.
    await world.slack.member.updateChannel(String(channel), { archived: false })
    await call('conversations.info', { channel })
    await call('conversations.leave', { channel })
  }
  for (let times = 1; times <= 2; times += 1) await call('conversations.join', { channel: 'C0RANDOM01' })
  await call('conversations.close', {
    channel: getPath(await call('conversations.open', { users: 'U0ADMIN001' }), 'channel', 'id'),
  })
  const link = {
    channel_id: CHANNEL,
    title: 'Docs',
    type: 'link',
    link: 'https://example.com/',
    emoji: ':book:',
  }
  const bookmark_id = getPath(await call('bookmarks.add', link), 'bookmark', 'id')
  await call('bookmarks.edit', { channel_id: CHANNEL, bookmark_id, title: 'Docs 2' })
  await call('bookmarks.list', { channel_id: CHANNEL })
  await call('bookmarks.remove', { channel_id: CHANNEL, bookmark_id })
}

/** Calls methods about views, which need a trigger. */
async function callViewMethods(world: World, call: Call): Promise<void> {
  const createTrigger = async () => {
    await world.slack.member.command('/hc', '', { until: () => true })
    return world.sent.findLast(({ body }) => body.command)?.body.trigger_id
  }
  const opened = await call('views.open', { trigger_id: await createTrigger(), view: modal })
  await call('views.update', { view_id: getPath(opened, 'view', 'id'), view: modal })
  await call('views.publish', { user_id: 'U0MEMBER01', view: home })
}

/** Posts a work object in a thread, and opens it as a person. */
async function openEntity({ api, slack, waitForEvent }: World): Promise<void> {
  const entity = {
    entity_type: 'slack#/entities/incident',
    external_ref: { id: 'case-1' },
    url: 'https://app.example.com/cases/1',
    entity_payload: { attributes: { title: { text: 'Case 1' } } },
  }
  const { ts = '' } = await slack.member.say('a case?')
  const answer = { channel: CHANNEL, text: 'a case', thread_ts: ts, metadata: { entities: [entity] } }
  const posted = await api('chat.postMessage', answer)
  // The app shows nothing, so this would wait in vain. The end of the world ends it.
  slack.member.openEntity({ channel: CHANNEL, ts: String(posted.ts) }, 'case-1').catch(() => undefined)
  await waitForEvent('entity_details_requested')
}

/** Triggers the events that the calls above don't trigger. */
async function triggerEvents(world: World): Promise<void> {
  const { slack, waitForEvent } = world
  const { member } = slack
  await member.openHome({ until: () => true })
  const message = await member.say('hello @shapes')
  await member.edit(message, 'hello again')
  await member.delete(message)
  await member.createChannel('made')
  await member.updateChannel('made', { archived: true })
  await member.leave('operations')
  await member.join('operations')
  await member.updateChannel('general', { sharedWith: 'Partner Company' })
  await member.updateChannel('general', { sharedWith: '' })
  await openEntity(world)
  await member.runStep('check-status', { name: 'x' }, { waitMs: 0 }).catch(() => undefined)
  await slack.load({ people: [{ name: 'newcomer' }] })
  await slack.uninstall('T0PLAYGRND')
  await waitForEvent('tokens_revoked')
}
