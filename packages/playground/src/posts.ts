import { z } from 'zod'
import type { Json } from './protocol.ts'
import { Refused } from './slack.ts'

/** What the page posts, as protocol-posts.ts has it. */
const text = z.string({ error: 'must be a string' })
const flag = z.boolean({ error: 'must be true or false' })
const oneOf = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be one of: ${names.join(', ')}` })
const from = (least: number, most: number, what = 'a whole number') =>
  z
    .int({ error: `must be ${what}` })
    .min(least)
    .max(most, { error: `must be ${what} from ${least} to ${most}` })

const value = z.union([text, z.array(text), z.null()], {
  error: 'must be a string, a list of strings, or null',
})
const perBlock = { error: 'must be an object: block_id → action_id → value' }
const values = z.record(text, z.record(text, value, perBlock), perBlock).default({})
const place = z.union(
  [
    z.object({ kind: z.literal('message'), channel: text, ts: text }),
    z.object({ kind: z.literal('view'), viewId: text }),
  ],
  { error: 'must be {kind: "message", channel, ts} or {kind: "view", viewId}' },
)
const onMessage = { user: text, channel: text, ts: text }
const element = { user: text, place, blockId: text, actionId: text }
const entity = { ...onMessage, ref: text.exactOptional() }
const count = z.number().min(0, { error: 'must be a number, not below 0' })

const fault = z
  .object({
    method: text,
    kind: oneOf('delay', 'status', 'error', 'drop-reply', 'refuse-block'),
    block: text.exactOptional(),
    ms: count.exactOptional(),
    status: count.exactOptional(),
    error: text.exactOptional(),
    retryAfter: count.exactOptional(),
    times: count.exactOptional(),
  })
  .refine(({ kind, block }) => kind !== 'refuse-block' || block !== undefined, {
    path: ['block'],
    error: 'must be a string',
  })

export const POSTS = {
  command: z.object({ user: text, channel: text, command: text, text }),
  message: z.object({
    ...{ user: text, channel: text, text },
    threadTs: text.exactOptional(),
    files: z.array(text).exactOptional(),
  }),
  thread: z.object({ user: text, from: text.exactOptional(), ts: text.exactOptional() }),
  links: z.object({ user: text, urls: z.array(text) }),
  edit: z.object({ ...onMessage, text }),
  onMessage: z.object(onMessage),
  react: z.object({ ...onMessage, name: text, remove: flag.default(false) }),
  pin: z.object({ ...onMessage, remove: flag.default(false) }),
  membership: z.object({ user: text, channel: text, leave: flag.default(false) }),
  group: z.object({ user: text, group: text, leave: flag.default(false) }),
  channel: z.object({
    ...{ user: text, channel: text },
    name: text.exactOptional(),
    topic: text.exactOptional(),
    purpose: text.exactOptional(),
    archived: flag.exactOptional(),
    sharedWith: text.exactOptional(),
  }),
  newChannel: z.object({
    ...{ user: text, name: text },
    privacy: oneOf('private', 'group').exactOptional(),
    members: z.array(text).exactOptional(),
  }),
  person: z.object({
    user: text,
    realName: text.exactOptional(),
    name: text.exactOptional(),
    title: text.exactOptional(),
    status: z.object({ text, emoji: text }).exactOptional(),
    role: oneOf('member', 'admin', 'guest', 'single-channel-guest').exactOptional(),
    deleted: flag.exactOptional(),
  }),
  step: z.object({ user: text, callbackId: text, inputs: z.record(text, z.json()).default({}) }),
  tools: z.object({
    ...{ user: text, method: oneOf('list', 'call') },
    params: z.record(text, z.json()).exactOptional(),
  }),
  panel: z.object({ user: text, name: text, actionId: text.exactOptional(), value: value.exactOptional() }),
  entity: z.object(entity),
  entityAction: z.object({ ...entity, action: text, inPane: flag.default(false) }),
  action: z.object({ ...element, value: value.exactOptional(), values }),
  options: z.object({ ...element, query: text }),
  submit: z.object({ user: text, viewId: text, values }),
  close: z.object({ user: text, viewId: text, all: flag.default(false) }),
  shortcut: z.object({
    ...{ user: text, callbackId: text },
    message: z.object({ channel: text, ts: text }).exactOptional(),
  }),
  home: z.object({ user: text, tab: oneOf('home', 'messages').default('home') }),
  redeliver: z.object({ deliveryId: text, times: from(1, 200).default(1) }),
  uninstall: z.object({
    id: text,
    late: flag.default(false),
    events: z.array(oneOf('app_uninstalled', 'tokens_revoked')).exactOptional(),
  }),
  access: z.object({ id: text, granted: flag.default(false) }),
  clock: z.object({
    at: text
      .refine((at) => !Number.isNaN(Date.parse(at)), { error: 'must be a time such as 2026-11-20T08:00:00Z' })
      .exactOptional(),
    advanceMs: count.exactOptional(),
  }),
  sockets: z.object({
    kind: oneOf('warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'drop'),
    all: flag.default(false),
    afterMs: count.exactOptional(),
  }),
  record: z.object({ on: flag.default(true) }),
  faults: z.array(fault, { error: 'must be a list: [{method, kind, …}]' }),
}

/** A post as its schema has it. Throws Refused, which names the first field that is missing or wrong. */
export function readPost<T>(schema: z.ZodType<T>, body: Json): T {
  const read = schema.safeParse(body)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = issue?.path.filter((name) => typeof name === 'string').join('.')
  const fault = issue?.message.replace(/^Invalid input: expected object.*/, 'must be a JSON object')
  throw new Refused('bad_post', `${field ? `"${field}"` : 'The body'} ${fault ?? 'is wrong'}.`)
}
