import { z } from 'zod'
import type { Json } from './json.ts'
import { isTimeZone } from './time-zones.ts'

/**
 * Creates a function that validates the body of a POST from the page or the driver. It returns the body, or an error message about the
 * first invalid field. The body is typed as it is sent, in which fields with defaults are optional.
 */
const createValidator =
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
/** The body of a POST. The server fills in defaults for optional fields that are omitted. */
export type PostBody<K extends PostPath> = Exclude<ReturnType<(typeof POSTS)[K]>, string>

const text = z.string({ error: 'must be a string' })
const flag = z.boolean({ error: 'must be true or false' })
const oneOf = <const T extends readonly [string, ...string[]]>(...names: T) =>
  z.enum(names, { error: `must be one of: ${names.join(', ')}` })
const wholeNumber = (min: number, max: number) =>
  z
    .int({ error: 'must be a whole number' })
    .min(min)
    .max(max, { error: `must be a whole number from ${min} to ${max}` })

/**
 * The value that a person entered into one element, or null if they cleared it:
 * - text or number: as typed
 * - select: the option's `value`, or the ID of a conversation
 * - checkboxes and multi-selects: a list of values; file input: a list of file IDs
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
const count = z.number().min(0, { error: 'must be a number, 0 or more' })

/** A fault to inject into `times` calls of a Web API method, or of a `response_url` (method `response_url`). */
const fault = z.object({
  /** The name of the method, or `*` for any method. */
  method: text,
  /**
   * `drop-reply` carries out the call, then cuts the connection. `error` responds with `{ok: false, error}`. `refuse-blocks`
   * responds with `invalid_blocks` to calls with blocks.
   */
  kind: oneOf('delay', 'status', 'error', 'drop-reply', 'refuse-blocks'),
  ms: count.exactOptional(),
  status: count.exactOptional(),
  error: text.exactOptional(),
  /** Seconds, for the `retry-after` header. */
  retryAfter: count.exactOptional(),
  /** 1 by default. */
  times: count.exactOptional(),
})

/** People and channels that a test adds to those of the start. */
const scenario = z.object({
  people: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z0-9._-]{1,21}$/, 'must be a handle: lowercase letters, digits, . _ -'),
        realName: text.exactOptional(),
        role: oneOf('member', 'admin', 'guest').exactOptional(),
      }),
    )
    .default([]),
  channels: z
    .array(
      z.object({
        name: z.string().regex(/^[a-z0-9_-]{1,80}$/, 'must be a name: lowercase letters, digits, _ -'),
        /** Handles or IDs; `bot` is the app's bot. */
        members: z.array(text),
      }),
    )
    .default([]),
})

export const POSTS = {
  scenario: createValidator(scenario),
  command: createValidator(z.object({ user: text, channel: text, command: text, text })),
  /** Posts a message. If it mentions the bot (`<@U…>` or `@name`), the app also gets `app_mention`. */
  message: createValidator(
    z.object({
      user: text,
      channel: text,
      text,
      threadTs: text.exactOptional(),
      files: z.array(text).exactOptional(),
    }),
  ),
  /** Edits the person's own message. */
  edit: createValidator(z.object({ ...messageAddress, text })),
  /** Removes an ephemeral message, or the warning on another message. */
  dismiss: createValidator(z.object(messageAddress)),
  membership: createValidator(z.object({ user: text, channel: text, leave: flag.default(false) })),
  /** Shares a channel that the person is in with another organization. */
  share: createValidator(z.object({ user: text, channel: text, sharedWith: text })),
  /** Changes a person; omitted fields stay the same. */
  person: createValidator(
    z.object({
      user: text,
      role: oneOf('member', 'admin', 'guest').exactOptional(),
      deleted: flag.exactOptional(),
    }),
  ),
  /** Sets everyone's time zone. The page sends the browser's. */
  zone: createValidator(
    z.object({ tz: text.refine(isTimeZone, { error: 'must be a time zone such as Europe/Berlin' }) }),
  ),
  /** Returns a panel's content. If `actionId` is set, first handles a click on that element. */
  panel: createValidator(
    z.object({ user: text, name: text, actionId: text.exactOptional(), value: value.exactOptional() }),
  ),
  /**
   * Uses an element. `value` is what the person chose or entered, omitted for a button. `values` are the current values of the
   * other elements.
   */
  action: createValidator(z.object({ ...elementAddress, value: value.exactOptional(), values })),
  /** Searches the options of an external select. */
  options: createValidator(z.object({ ...elementAddress, query: text })),
  submit: createValidator(z.object({ user: text, viewId: text, values })),
  close: createValidator(z.object({ user: text, viewId: text, all: flag.default(false) })),
  shortcut: createValidator(
    z.object({
      user: text,
      callbackId: text,
      message: z.object({ channel: text, ts: text }),
    }),
  ),
  home: createValidator(z.object({ user: text })),
  /** Sends `times` copies of an earlier request to the app, with the same signature. */
  redeliver: createValidator(z.object({ deliveryId: text, times: wholeNumber(1, 200).default(1) })),
  /** Uninstalls the app from a workspace. Its token is revoked immediately. */
  uninstall: createValidator(
    z.object({
      id: text,
      /** Only sends the events, like delayed events about an earlier installation. The app stays installed. */
      late: flag.default(false),
      /** The events to send, in this order. Both by default. */
      events: z.array(oneOf('app_uninstalled', 'tokens_revoked')).exactOptional(),
    }),
  ),
  /** Moves the playground's clock forward. It keeps running from there. */
  clock: createValidator(z.object({ advanceMs: count })),
  /**
   * Disconnects the sockets of an app in Socket Mode. `drop` acts like a network failure. The other kinds send a `disconnect`
   * message first.
   */
  sockets: createValidator(
    z.object({
      kind: oneOf('warning', 'refresh_requested', 'link_disabled', 'too_many_websockets', 'drop'),
      /** Disconnects all sockets instead of only the oldest one. */
      all: flag.default(false),
      /** The time between the `disconnect` message and the end of the connection. By default 10 s for `warning`, otherwise 0. */
      afterMs: count.exactOptional(),
    }),
  ),
  faults: createValidator(z.array(fault, { error: 'must be a list: [{method, kind, …}]' })),
}
