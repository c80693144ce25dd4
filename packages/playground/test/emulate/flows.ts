import { asString, isFields } from '../../src/json.ts'
import type { Fields, Json } from '../../src/protocol.ts'
import type { SlackApi } from './sides.ts'

const plain = (text: string): Fields => ({ type: 'plain_text', text })
const section: Fields = { type: 'section', text: { type: 'mrkdwn', text: '*down*' } }
const push: Fields = {
  type: 'actions',
  elements: [{ type: 'button', action_id: 'push', text: plain('Push'), value: 'v' }],
}
const modal = (title: string, more: Fields = {}): Fields => ({
  type: 'modal',
  title: plain(title),
  blocks: [section, push],
  ...more,
})

export interface Step {
  name: string
  answer: Fields
}
/** Calls a method, and records the answer under `name`. */
type CallAndRecord = (name: string, method: string, args?: object, token?: string) => Promise<Fields>
type Flow = (side: SlackApi, act: CallAndRecord) => Promise<void>

const text = (value: Json | undefined, ...path: string[]): string =>
  asString(
    path.reduce<Json | undefined>((inner, name) => (isFields(inner) ? inner[name] : undefined), value),
  ) ?? ''

const people: Flow = async ({ user, email }, act) => {
  await act('auth.test', 'auth.test')
  await act('auth.test without a token', 'auth.test', {}, '')
  await act('users.info', 'users.info', { user })
  await act('users.info of nobody', 'users.info', { user: 'U0NOBODY00' })
  await act('users.lookupByEmail', 'users.lookupByEmail', { email })
  await act('users.lookupByEmail of nobody', 'users.lookupByEmail', { email: 'nobody@example.com' })
  await act('users.list', 'users.list')
}

const conversations: Flow = async ({ channel, user }, act) => {
  await act('conversations.info', 'conversations.info', { channel })
  await act('conversations.info of none', 'conversations.info', { channel: 'C0NOWHERE0' })
  await act('conversations.list', 'conversations.list')
  await act('conversations.members', 'conversations.members', { channel })
  await act('conversations.open', 'conversations.open', { users: user })
}

const messages: Flow = async ({ channel, user }, act) => {
  const posted = await act('chat.postMessage', 'chat.postMessage', {
    channel,
    text: 'hello',
    blocks: [section],
  })
  const ts = text(posted, 'ts')
  await act('a reply', 'chat.postMessage', { channel, text: 'a reply', thread_ts: ts })
  await act('conversations.history', 'conversations.history', { channel, limit: 1 })
  await act('chat.update', 'chat.update', { channel, ts, text: 'hello again', blocks: [section] })
  await act('chat.getPermalink', 'chat.getPermalink', { channel, message_ts: ts })
  await act('chat.postEphemeral', 'chat.postEphemeral', { channel, user, text: 'for one' })
  await act('a direct message', 'chat.postMessage', { channel: user, text: 'hello' })
  await act('chat.delete', 'chat.delete', { channel, ts })
  await act('chat.update of what is gone', 'chat.update', { channel, ts, text: 'x' })
  await act('chat.delete of what is gone', 'chat.delete', { channel, ts })
  await act('chat.postMessage to nowhere', 'chat.postMessage', { channel: 'C0NOWHERE0', text: 'x' })
  await act('chat.postMessage of nothing', 'chat.postMessage', { channel })
  await act('a reply to nothing', 'chat.postMessage', { channel, text: 'x', thread_ts: '1.000001' })
  await act('a text that is too long', 'chat.postMessage', { channel, text: 'x'.repeat(40_001) })
  await act('a broken block', 'chat.postMessage', { channel, text: 'x', blocks: [{ type: 'header' }] })
}

const views: Flow = async ({ trigger, user }, act) => {
  const first = await trigger()
  const opened = await act('views.open', 'views.open', { trigger_id: first, view: modal('One') })
  const view_id = text(opened, 'view', 'id')
  await act('a trigger used twice', 'views.open', { trigger_id: first, view: modal('One') })
  await act('a trigger that is none', 'views.open', { trigger_id: 'nonsense', view: modal('One') })
  await act('views.update', 'views.update', { view_id, view: modal('Two') })
  await act('views.update of an old hash', 'views.update', {
    view_id,
    hash: text(opened, 'view', 'hash'),
    view: modal('No'),
  })
  await act('views.update of none', 'views.update', { view_id: 'V0NOTHING0', view: modal('No') })
  await act('views.push', 'views.push', { trigger_id: await trigger(view_id), view: modal('Three') })
  await act('a title that is too long', 'views.update', { view_id, view: modal('x'.repeat(25)) })
  await act('views.publish', 'views.publish', { user_id: user, view: { type: 'home', blocks: [section] } })
}

const files: Flow = async ({ channel, upload, download }, act) => {
  const content = 'name,status\nweb,up\n'
  const ticket = await act('files.getUploadURLExternal', 'files.getUploadURLExternal', {
    filename: 'a.csv',
    length: content.length,
  })
  const status = await upload(text(ticket, 'upload_url'), content)
  const id = text(ticket, 'file_id')
  await act(`files.completeUploadExternal after ${status}`, 'files.completeUploadExternal', {
    files: [{ id, title: 'A' }],
    channel_id: channel,
  })
  const info = await act('files.info', 'files.info', { file: id })
  const same = (await download(text(info, 'file', 'url_private'))) === content
  await act(`files.info of what came back ${same ? 'whole' : 'changed'}`, 'files.info', { file: id })
  await act('files.info of none', 'files.info', { file: 'F0NOTHING0' })
}

const oauth: Flow = async (_side, act) => {
  const app = { client_id: 'playground-client', client_secret: 'playground-client-secret' }
  await act('oauth.v2.access with a code that is none', 'oauth.v2.access', { ...app, code: 'nonsense' }, '')
}

/** Runs all flows that both implementations support. Returns each step with its answer. */
export async function runFlows(side: SlackApi): Promise<Step[]> {
  const steps: Step[] = []
  const act: CallAndRecord = async (name, method, args, token) => {
    const answer = await side.call(method, args, token)
    steps.push({ name, answer })
    return answer
  }
  for (const flow of [people, conversations, messages, views, files, oauth]) await flow(side, act)
  return steps
}

/** `ok`, or the error's code. */
export const stepOutcome = ({ answer }: Step): string => (answer.ok === true ? 'ok' : String(answer.error))

const valueType = (value: Json): string =>
  Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value

/** Fields that have different types in two answers, as `path: type, type`. */
export function typeDifferences(one: Json, other: Json, path = ''): string[] {
  if (isFields(one) && isFields(other))
    return Object.keys(one).flatMap((name) => {
      const [a, b] = [one[name], other[name]]
      return a === undefined || b === undefined ? [] : typeDifferences(a, b, `${path}.${name}`)
    })
  if (Array.isArray(one) && Array.isArray(other)) {
    const [a, b] = [one[0], other[0]]
    return a === undefined || b === undefined ? [] : typeDifferences(a, b, `${path}[]`)
  }
  return valueType(one) === valueType(other) ? [] : [`${path}: ${valueType(one)}, ${valueType(other)}`]
}

/** The number of fields that two answers share. */
export function countSharedFields(one: Json, other: Json): number {
  if (isFields(one) && isFields(other))
    return Object.keys(one).reduce((sum, name) => {
      const [a, b] = [one[name], other[name]]
      return a === undefined || b === undefined ? sum : sum + countSharedFields(a, b)
    }, 0)
  if (Array.isArray(one) && Array.isArray(other) && one[0] !== undefined && other[0] !== undefined)
    return countSharedFields(one[0], other[0])
  return 1
}
