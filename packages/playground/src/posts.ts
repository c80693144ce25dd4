import { z } from 'zod'
import type { Json } from './protocol.ts'
import { isTimeZone } from './time-zones.ts'

/**
 * What the page and the driver post, by the path below `/_playground/`. Each reader returns the post, or a sentence that names
 * the first missing or wrong field. The types are spelled out for whoever installs the playground: they don't refer to a library
 * that isn't included.
 */
const reads =
  <In, Out extends In>(schema: z.ZodType<Out, In>) =>
  (body: Json): In | string => {
    const read = schema.safeParse(body)
    if (read.success) return read.data
    const [issue] = read.error.issues
    const field = issue?.path.filter((name) => typeof name === 'string').join('.')
    const fault = issue?.message.replace(/^Invalid input: expected object.*/, 'must be a JSON object')
    return `${field ? `"${field}"` : 'The body'} ${fault ?? 'is wrong'}.`
  }

export type PostPath = keyof typeof POSTS
/** A post as it can be sent; omitted fields get their defaults when it is read. */
export type Post<K extends PostPath> = Exclude<ReturnType<(typeof POSTS)[K]>, string>

const text = z.string({ error: 'must be a string' })
const flag = z.boolean({ error: 'must be true or false' })
const oneOf = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be one of: ${names.join(', ')}` })
const from = (least: number, most: number, what = 'a whole number') =>
  z
    .int({ error: `must be ${what}` })
    .min(least)
    .max(most, { error: `must be ${what} from ${least} to ${most}` })

const zone = text.refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })

const json: z.ZodType<Json, Json> = z.json()
/**
 * What a person entered into one element. Text, email, and numbers: as typed. Rich text: as in `rich-typed.ts`. A date:
 * `YYYY-MM-DD`. A time: `HH:mm`. A date and time: Unix seconds, as text. A select: the option's `value`, or a user, channel, or
 * conversation ID. Anything multiple (checkboxes, multi-selects, a file_input's file IDs): a list. null: emptied.
 */
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

/** One thing that the Web API (or `response_url`: method `response_url`) is told to do wrong, `times` times. */
const fault = z
  .object({
    /** `*`: the next call, whatever it is. */
    method: text,
    /**
     * `drop-reply` does the work, then cuts the connection. `error` answers `{ok: false, error}`. `refuse-block` acts like a
     * workspace that doesn't know a type of block yet: only calls with such a block are answered with `invalid_blocks`.
     */
    kind: oneOf('delay', 'status', 'error', 'drop-reply', 'refuse-block'),
    /** The type that `refuse-block` refuses. */
    block: text.exactOptional(),
    ms: count.exactOptional(),
    status: count.exactOptional(),
    error: text.exactOptional(),
    /** Seconds, for the `retry-after` header. */
    retryAfter: count.exactOptional(),
    /** 1 by default. */
    times: count.exactOptional(),
  })
  .refine(({ kind, block }) => kind !== 'refuse-block' || block !== undefined, {
    path: ['block'],
    error: 'must be a string',
  })

export const POSTS = {
  command: reads(z.object({ user: text, channel: text, command: text, text })),
  /** A plain message; one that mentions the bot (`<@U…>` or `@name`) causes `app_mention`. */
  message: reads(
    z.object({
      ...{ user: text, channel: text, text },
      threadTs: text.exactOptional(),
      files: z.array(text).exactOptional(),
    }),
  ),
  /** Starts a thread with an assistant, or continues the one of `ts`; `from` is the channel that the person is looking at. */
  thread: reads(z.object({ user: text, from: text.exactOptional(), ts: text.exactOptional() })),
  /** Addresses that someone has written and not sent yet. */
  links: reads(z.object({ user: text, urls: z.array(text) })),
  /** A person changes the text of their own message; the app gets `message_changed`. */
  edit: reads(z.object({ ...onMessage, text })),
  /** What someone does with a message: deletes their own one, or dismisses one that only they see. */
  delete: reads(z.object(onMessage)),
  dismiss: reads(z.object(onMessage)),
  react: reads(z.object({ ...onMessage, name: text, remove: flag.default(false) })),
  /** Pins a message, or with `remove` unpins it. */
  pin: reads(z.object({ ...onMessage, remove: flag.default(false) })),
  membership: reads(z.object({ user: text, channel: text, leave: flag.default(false) })),
  /** Joins a user group, named by its ID or handle, or leaves it. */
  group: reads(z.object({ user: text, group: text, leave: flag.default(false) })),
  /** What changes about a channel that the person is in; omitted fields stay. */
  channel: reads(
    z.object({
      ...{ user: text, channel: text },
      name: text.exactOptional(),
      topic: text.exactOptional(),
      purpose: text.exactOptional(),
      archived: flag.exactOptional(),
      /** The other organization that it is shared with; empty: none any more. */
      sharedWith: text.exactOptional(),
    }),
  ),
  /** Creates a channel, with others in it from the beginning. */
  'new-channel': reads(
    z.object({
      ...{ user: text, name: text },
      privacy: oneOf('private', 'group').exactOptional(),
      members: z.array(text).exactOptional(),
    }),
  ),
  /** What changes about a person; omitted fields stay. */
  person: reads(
    z.object({
      user: text,
      realName: text.exactOptional(),
      name: text.exactOptional(),
      title: text.exactOptional(),
      /** Both empty to remove it. */
      status: z.object({ text, emoji: text }).exactOptional(),
      role: oneOf('member', 'admin', 'guest', 'single-channel-guest').exactOptional(),
      deleted: flag.exactOptional(),
      tz: zone.exactOptional(),
    }),
  ),
  /** The time zone of the browser that shows the page, for everyone who hasn't chosen one. */
  zone: reads(z.object({ tz: zone })),
  /** Starts a workflow with one of the app's steps, as a person; `user_context` inputs are filled in. */
  step: reads(z.object({ user: text, callbackId: text, inputs: z.record(text, json).default({}) })),
  /** Slackbot asks the app's tools server on someone's behalf: for its tools, or with `name` and `arguments` for a call. */
  tools: reads(
    z.object({
      ...{ user: text, method: oneOf('list', 'call') },
      params: z.record(text, json).exactOptional(),
    }),
  ),
  /** Reads a panel of whoever started the playground, after pressing one of its elements if that is named. */
  panel: reads(
    z.object({ user: text, name: text, actionId: text.exactOptional(), value: value.exactOptional() }),
  ),
  /** Opens a work object of a message: the first one, or the one with this external ID. */
  entity: reads(z.object(entity)),
  /** Presses one of its actions, by ID or text; in the pane instead of on the card if given. */
  'entity-action': reads(z.object({ ...entity, action: text, inPane: flag.default(false) })),
  /** `value` is what was chosen or typed, omitted for a button; `values` is what is typed in the elements next to it. */
  action: reads(z.object({ ...element, value: value.exactOptional(), values })),
  /** Typing into an external select. */
  options: reads(z.object({ ...element, query: text })),
  submit: reads(z.object({ user: text, viewId: text, values })),
  close: reads(z.object({ user: text, viewId: text, all: flag.default(false) })),
  shortcut: reads(
    z.object({
      ...{ user: text, callbackId: text },
      message: z.object({ channel: text, ts: text }).exactOptional(),
    }),
  ),
  home: reads(z.object({ user: text, tab: oneOf('home', 'messages').default('home') })),
  /** Sends exactly the same signed request again, this many times. */
  redeliver: reads(z.object({ deliveryId: text, times: from(1, 200).default(1) })),
  /** Removes the app from a workspace or a whole organization: its tokens are revoked immediately. */
  uninstall: reads(
    z.object({
      id: text,
      /** Repeats the news about an earlier installation; the current token keeps working. */
      late: flag.default(false),
      /** What Slack then tells the app, in this order; both by default. */
      events: z.array(oneOf('app_uninstalled', 'tokens_revoked')).exactOptional(),
    }),
  ),
  /** Adds a workspace to an organization's installation, or removes it. */
  access: reads(z.object({ id: text, granted: flag.default(false) })),
  /** Sets the playground's clock, or moves it forward; it continues from there. */
  clock: reads(
    z.object({
      at: text
        .refine((at) => !Number.isNaN(Date.parse(at)), {
          error: 'must be a time such as 2026-11-20T08:00:00Z',
        })
        .exactOptional(),
      advanceMs: count.exactOptional(),
    }),
  ),
  /** What happens to sockets of an app in Socket Mode; `drop` is caused by the network, and Slack announces the others. */
  sockets: reads(
    z.object({
      kind: oneOf('warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'drop'),
      /** Every socket instead of the oldest one. */
      all: flag.default(false),
      /** Time from the announcement to the end of the socket. By default 10 s after a warning, and none after the others. */
      afterMs: count.exactOptional(),
    }),
  ),
  record: reads(z.object({ on: flag.default(true) })),
  faults: reads(z.array(fault, { error: 'must be a list: [{method, kind, …}]' })),
}
