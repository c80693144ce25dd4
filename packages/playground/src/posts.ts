import { z } from 'zod'
import type { Json } from './protocol.ts'
import { isTimeZone } from './time-zones.ts'

/**
 * Validates what the page and the driver post. Each reader returns the post, or a sentence that names the first missing or wrong
 * field. The types are spelled out because the published types can't refer to zod, which is bundled.
 */
const reader =
  <In, Out extends In>(schema: z.ZodType<Out, In>) =>
  (body: Json): In | string => {
    const result = schema.safeParse(body)
    if (result.success) return result.data
    const [issue] = result.error.issues
    const field = issue?.path.filter((name) => typeof name === 'string').join('.')
    const problem = issue?.message.replace(/^Invalid input: expected object.*/, 'must be a JSON object')
    return `${field ? `"${field}"` : 'The body'} ${problem ?? 'is wrong'}.`
  }

export type PostPath = keyof typeof POSTS
/** A post as it can be sent; omitted fields get their defaults when it is read. */
export type PostBody<K extends PostPath> = Exclude<ReturnType<(typeof POSTS)[K]>, string>

const text = z.string({ error: 'must be a string' })
const flag = z.boolean({ error: 'must be true or false' })
const oneOf = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be one of: ${names.join(', ')}` })
const wholeNumber = (min: number, max: number, description = 'a whole number') =>
  z
    .int({ error: `must be ${description}` })
    .min(min)
    .max(max, { error: `must be ${description} from ${min} to ${max}` })

const zone = text.refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' })

const json: z.ZodType<Json, Json> = z.json()
/**
 * What a person entered into one element. Text, email, and numbers: as typed. Rich text: as in `typed-rich-text.ts`. A date:
 * `YYYY-MM-DD`. A time: `HH:mm`. A date and time: Unix seconds, as text. A select: the option's `value`, or a user, channel, or
 * conversation ID. Checkboxes, multi-selects, and file inputs (file IDs): a list. null: cleared.
 */
const value = z.union([text, z.array(text), z.null()], {
  error: 'must be a string, a list of strings, or null',
})
const valuesError = { error: 'must be an object: block_id → action_id → value' }
const values = z.record(text, z.record(text, value, valuesError), valuesError).default({})
const surface = z.union(
  [
    z.object({ kind: z.literal('message'), channel: text, ts: text }),
    z.object({ kind: z.literal('view'), viewId: text }),
  ],
  { error: 'must be {kind: "message", channel, ts} or {kind: "view", viewId}' },
)
const messageAddress = { user: text, channel: text, ts: text }
const elementAddress = { user: text, surface, blockId: text, actionId: text }
const entityAddress = { ...messageAddress, ref: text.exactOptional() }
const count = z.number().min(0, { error: 'must be a number, 0 or more' })

/** A fault to inject into `times` calls of a Web API method, or of a `response_url` (method `response_url`). */
const fault = z
  .object({
    /** `*`: the next call of any method. */
    method: text,
    /**
     * `drop-reply` carries out the call, then cuts the connection. `error` answers `{ok: false, error}`. `refuse-block` acts like a
     * workspace that doesn't support a type of block yet: only calls with such a block get `invalid_blocks`.
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
  command: reader(z.object({ user: text, channel: text, command: text, text })),
  /** A plain message; one that mentions the bot (`<@U…>` or `@name`) causes `app_mention`. */
  message: reader(
    z.object({
      user: text,
      channel: text,
      text,
      threadTs: text.exactOptional(),
      files: z.array(text).exactOptional(),
    }),
  ),
  /** Starts an assistant thread, or continues the thread `ts`; `from` is the channel that the person is viewing. */
  thread: reader(z.object({ user: text, from: text.exactOptional(), ts: text.exactOptional() })),
  /** URLs in a message that the person is still writing. */
  links: reader(z.object({ user: text, urls: z.array(text) })),
  /** A person changes the text of their own message; the app gets `message_changed`. */
  edit: reader(z.object({ ...messageAddress, text })),
  /** Deletes the person's own message. */
  delete: reader(z.object(messageAddress)),
  /** Removes an ephemeral message, or the warning on another message. */
  dismiss: reader(z.object(messageAddress)),
  react: reader(z.object({ ...messageAddress, name: text, remove: flag.default(false) })),
  /** Pins a message, or with `remove` unpins it. */
  pin: reader(z.object({ ...messageAddress, remove: flag.default(false) })),
  membership: reader(z.object({ user: text, channel: text, leave: flag.default(false) })),
  /** Joins a user group, named by its ID or handle, or leaves it. */
  group: reader(z.object({ user: text, group: text, leave: flag.default(false) })),
  /** Changes a channel that the person is in; omitted fields stay the same. */
  channel: reader(
    z.object({
      user: text,
      channel: text,
      name: text.exactOptional(),
      topic: text.exactOptional(),
      purpose: text.exactOptional(),
      archived: flag.exactOptional(),
      /** The other organization that it is shared with; empty to stop sharing. */
      sharedWith: text.exactOptional(),
    }),
  ),
  /** Creates a channel, with other members if given. */
  'new-channel': reader(
    z.object({
      user: text,
      name: text,
      privacy: oneOf('private', 'group').exactOptional(),
      members: z.array(text).exactOptional(),
    }),
  ),
  /** Changes a person; omitted fields stay the same. */
  person: reader(
    z.object({
      user: text,
      realName: text.exactOptional(),
      name: text.exactOptional(),
      title: text.exactOptional(),
      /** Both fields empty to remove it. */
      status: z.object({ text, emoji: text }).exactOptional(),
      role: oneOf('member', 'admin', 'guest', 'single-channel-guest').exactOptional(),
      deleted: flag.exactOptional(),
      tz: zone.exactOptional(),
    }),
  ),
  /** The time zone of the browser that shows the page, for everyone who hasn't chosen one. */
  zone: reader(z.object({ tz: zone })),
  /** Starts a workflow with one of the app's steps, as a person; `user_context` inputs are filled in. */
  step: reader(z.object({ user: text, callbackId: text, inputs: z.record(text, json).default({}) })),
  /** Slackbot lists the tools of the app's MCP server for a person, or calls one with `name` and `arguments`. */
  tools: reader(
    z.object({
      user: text,
      method: oneOf('list', 'call'),
      params: z.record(text, json).exactOptional(),
    }),
  ),
  /** Reads a panel, after pressing one of its elements if one is given. */
  panel: reader(
    z.object({ user: text, name: text, actionId: text.exactOptional(), value: value.exactOptional() }),
  ),
  /** Opens a work object of a message: the first one, or the one with this external ID. */
  entity: reader(z.object(entityAddress)),
  /** Presses an action of a work object, by ID or text; with `inPane`, in the pane instead of on the card. */
  'entity-action': reader(z.object({ ...entityAddress, action: text, inPane: flag.default(false) })),
  /** `value` was chosen or typed (omitted for a button); `values` are the current values of the other elements. */
  action: reader(z.object({ ...elementAddress, value: value.exactOptional(), values })),
  /** Types into an external select. */
  options: reader(z.object({ ...elementAddress, query: text })),
  submit: reader(z.object({ user: text, viewId: text, values })),
  close: reader(z.object({ user: text, viewId: text, all: flag.default(false) })),
  shortcut: reader(
    z.object({
      user: text,
      callbackId: text,
      message: z.object({ channel: text, ts: text }).exactOptional(),
    }),
  ),
  home: reader(z.object({ user: text, tab: oneOf('home', 'messages').default('home') })),
  /** Sends exactly the same signed request again, this many times. */
  redeliver: reader(z.object({ deliveryId: text, times: wholeNumber(1, 200).default(1) })),
  /** Removes the app from a workspace or a whole organization: its tokens are revoked immediately. */
  uninstall: reader(
    z.object({
      id: text,
      /** Sends the events of an earlier installation late; the current token keeps working. */
      late: flag.default(false),
      /** The events that Slack sends, in this order; both by default. */
      events: z.array(oneOf('app_uninstalled', 'tokens_revoked')).exactOptional(),
    }),
  ),
  /** Adds a workspace to an organization's installation, or removes it. */
  access: reader(z.object({ id: text, granted: flag.default(false) })),
  /** Sets the playground's clock, or moves it forward; it continues from there. */
  clock: reader(
    z.object({
      at: text
        .refine((at) => !Number.isNaN(Date.parse(at)), {
          error: 'must be a time such as 2026-11-20T08:00:00Z',
        })
        .exactOptional(),
      advanceMs: count.exactOptional(),
    }),
  ),
  /** Disrupts the sockets of an app in Socket Mode. `drop` acts like a network failure; Slack announces the other kinds. */
  sockets: reader(
    z.object({
      kind: oneOf('warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'drop'),
      /** Every socket instead of the oldest one. */
      all: flag.default(false),
      /** Time from the announcement until the socket closes. By default 10 s after a warning, and 0 after any other announcement. */
      afterMs: count.exactOptional(),
    }),
  ),
  record: reader(z.object({ on: flag.default(true) })),
  faults: reader(z.array(fault, { error: 'must be a list: [{method, kind, …}]' })),
}
