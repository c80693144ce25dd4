import type { Fields, Json } from '../../src/protocol/json.ts'
import { asString, isFields } from '../../src/protocol/json.ts'
import type { SlackApi } from './slack-apis.ts'

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const section: Fields = { type: 'section', text: { type: 'mrkdwn', text: '*down*' } }
const push: Fields = {
  type: 'actions',
  elements: [{ type: 'button', action_id: 'push', text: plain('Push'), value: 'v' }],
}
const modal = (title: string, extraFields: Fields = {}): Fields => ({
  type: 'modal',
  title: plain(title),
  blocks: [section, push],
  ...extraFields,
})

export interface Step {
  name: string
  answer: Fields
}
/** Calls a method, and records the response as the step `name`. */
type CallAndRecord = (name: string, method: string, args?: object, token?: string) => Promise<Fields>
type Flow = (api: SlackApi, call: CallAndRecord) => Promise<void>

const readString = (value: Json | undefined, ...path: string[]): string =>
  asString(
    path.reduce<Json | undefined>((inner, name) => (isFields(inner) ? inner[name] : undefined), value),
  ) ?? ''

const people: Flow = async ({ user, email }, call) => {
  await call('auth.test', 'auth.test')
  await call('auth.test without a token', 'auth.test', {}, '')
  await call('users.info', 'users.info', { user })
  await call('users.info of an unknown person', 'users.info', { user: 'U0NOBODY00' })
  await call('users.lookupByEmail', 'users.lookupByEmail', { email })
  await call('users.lookupByEmail of an unknown person', 'users.lookupByEmail', {
    email: 'nobody@example.com',
  })
  await call('users.list', 'users.list')
}

const conversations: Flow = async ({ channel, user }, call) => {
  await call('conversations.info', 'conversations.info', { channel })
  await call('conversations.info of an unknown channel', 'conversations.info', { channel: 'C0NOWHERE0' })
  await call('conversations.list', 'conversations.list')
  await call('conversations.members', 'conversations.members', { channel })
  await call('conversations.open', 'conversations.open', { users: user })
}

const messages: Flow = async ({ channel, user }, call) => {
  const posted = await call('chat.postMessage', 'chat.postMessage', {
    channel,
    text: 'hello',
    blocks: [section],
  })
  const ts = readString(posted, 'ts')
  await call('a reply', 'chat.postMessage', { channel, text: 'a reply', thread_ts: ts })
  await call('conversations.history', 'conversations.history', { channel, limit: 1 })
  await call('chat.update', 'chat.update', { channel, ts, text: 'hello again', blocks: [section] })
  await call('chat.getPermalink', 'chat.getPermalink', { channel, message_ts: ts })
  await call('chat.postEphemeral', 'chat.postEphemeral', { channel, user, text: 'for one' })
  await call('a direct message', 'chat.postMessage', { channel: user, text: 'hello' })
  await call('chat.delete', 'chat.delete', { channel, ts })
  await call('chat.update of a deleted message', 'chat.update', { channel, ts, text: 'x' })
  await call('chat.delete of a deleted message', 'chat.delete', { channel, ts })
  await call('chat.postMessage to an unknown channel', 'chat.postMessage', {
    channel: 'C0NOWHERE0',
    text: 'x',
  })
  await call('chat.postMessage without text', 'chat.postMessage', { channel })
  await call('a reply to a missing message', 'chat.postMessage', {
    channel,
    text: 'x',
    thread_ts: '1.000001',
  })
  await call('a text that is too long', 'chat.postMessage', { channel, text: 'x'.repeat(40_001) })
  await call('a broken block', 'chat.postMessage', { channel, text: 'x', blocks: [{ type: 'header' }] })
}

const views: Flow = async ({ trigger, user }, call) => {
  const first = await trigger()
  const opened = await call('views.open', 'views.open', { trigger_id: first, view: modal('One') })
  const view_id = readString(opened, 'view', 'id')
  await call('a trigger used twice', 'views.open', { trigger_id: first, view: modal('One') })
  await call('an invalid trigger', 'views.open', { trigger_id: 'nonsense', view: modal('One') })
  await call('views.update', 'views.update', { view_id, view: modal('Two') })
  await call('views.update with an old hash', 'views.update', {
    view_id,
    hash: readString(opened, 'view', 'hash'),
    view: modal('No'),
  })
  await call('views.update of an unknown view', 'views.update', { view_id: 'V0NOTHING0', view: modal('No') })
  await call('views.push', 'views.push', { trigger_id: await trigger(view_id), view: modal('Three') })
  await call('a title that is too long', 'views.update', { view_id, view: modal('x'.repeat(25)) })
  await call('views.publish', 'views.publish', { user_id: user, view: { type: 'home', blocks: [section] } })
}

const files: Flow = async ({ channel, upload, download }, call) => {
  const content = 'name,status\nweb,up\n'
  const uploadTarget = await call('files.getUploadURLExternal', 'files.getUploadURLExternal', {
    filename: 'a.csv',
    length: content.length,
  })
  const status = await upload(readString(uploadTarget, 'upload_url'), content)
  const id = readString(uploadTarget, 'file_id')
  await call(`files.completeUploadExternal after ${status}`, 'files.completeUploadExternal', {
    files: [{ id, title: 'A' }],
    channel_id: channel,
  })
  const info = await call('files.info', 'files.info', { file: id })
  const isUnchanged = (await download(readString(info, 'file', 'url_private'))) === content
  await call(`files.info after downloading ${isUnchanged ? 'the same' : 'different'} content`, 'files.info', {
    file: id,
  })
  await call('files.info of an unknown file', 'files.info', { file: 'F0NOTHING0' })
}

const oauth: Flow = async (_api, call) => {
  const app = { client_id: 'playground-client', client_secret: 'playground-client-secret' }
  await call('oauth.v2.access with an invalid code', 'oauth.v2.access', { ...app, code: 'nonsense' }, '')
}

/** Runs all flows that both implementations support. Returns each step with its response. */
export async function runFlows(api: SlackApi): Promise<Step[]> {
  const steps: Step[] = []
  const call: CallAndRecord = async (name, method, args, token) => {
    const answer = await api.call(method, args, token)
    steps.push({ name, answer })
    return answer
  }
  for (const flow of [people, conversations, messages, views, files, oauth]) await flow(api, call)
  return steps
}

/** Returns `ok`, or the error's code. */
export const getOutcome = ({ answer }: Step): string => (answer.ok === true ? 'ok' : String(answer.error))

function valueType(value: Json): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** Lists the fields that have different types in two responses, as `path: type, type`. */
export function findTypeDifferences(ours: Json, theirs: Json, path = ''): string[] {
  if (isFields(ours) && isFields(theirs))
    return Object.keys(ours).flatMap((name) => {
      const [a, b] = [ours[name], theirs[name]]
      return a === undefined || b === undefined ? [] : findTypeDifferences(a, b, `${path}.${name}`)
    })
  if (Array.isArray(ours) && Array.isArray(theirs)) {
    const [a, b] = [ours[0], theirs[0]]
    return a === undefined || b === undefined ? [] : findTypeDifferences(a, b, `${path}[]`)
  }
  return valueType(ours) === valueType(theirs) ? [] : [`${path}: ${valueType(ours)}, ${valueType(theirs)}`]
}

/** Counts the fields that two responses have in common. */
export function countSharedFields(ours: Json, theirs: Json): number {
  if (isFields(ours) && isFields(theirs))
    return Object.keys(ours).reduce((sum, name) => {
      const [a, b] = [ours[name], theirs[name]]
      return a === undefined || b === undefined ? sum : sum + countSharedFields(a, b)
    }, 0)
  if (Array.isArray(ours) && Array.isArray(theirs) && ours[0] !== undefined && theirs[0] !== undefined)
    return countSharedFields(ours[0], theirs[0])
  return 1
}
