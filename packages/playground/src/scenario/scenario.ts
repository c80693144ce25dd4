import { z } from 'zod'
import { type About, parseDocumentAs, readDocument } from '../document.ts'
import { isTimeZone } from '../time-zones.ts'

/** A handle or ID; `bot` is the app's bot. */
const who = z.string().min(1)
const role = z.enum(['member', 'admin', 'guest', 'single-channel-guest'])
const value = z.union([z.string(), z.array(z.string()), z.null()])

const fault = z.strictObject({
  method: z.string().min(1),
  kind: z.enum(['delay', 'status', 'error', 'drop-reply', 'refuse-block']),
  block: z.string().optional(),
  ms: z.int().min(0).optional(),
  status: z.int().optional(),
  error: z.string().optional(),
  retryAfter: z.int().min(0).optional(),
  times: z.int().min(1).optional(),
})

/** The last matching message of a channel, or the one `back` messages before it. */
const onMessage = z.strictObject({ channel: z.string(), back: z.int().min(0).optional() })
const where = z.union([z.literal('modal'), z.literal('home'), onMessage])

/**
 * Something a person does, without values that change in the next run: no ts, view ID, or generated block_id. `user` is a
 * handle or an ID.
 */
const step = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('command'),
    user: who,
    channel: z.string(),
    command: z.string(),
    text: z.string(),
  }),
  z.strictObject({ do: z.literal('say'), user: who, channel: z.string(), text: z.string() }),
  z.strictObject({
    do: z.literal('act'),
    user: who,
    on: where,
    action: z.string(),
    value: value.optional(),
  }),
  z.strictObject({ do: z.literal('submit'), user: who, values: z.record(z.string(), value) }),
  z.strictObject({ do: z.literal('close'), user: who, all: z.boolean().optional() }),
  z.strictObject({ do: z.literal('shortcut'), user: who, callback: z.string(), on: onMessage.optional() }),
  z.strictObject({ do: z.literal('home'), user: who }),
  z.strictObject({
    do: z.literal('clock'),
    at: z.iso.datetime().optional(),
    advanceMs: z.int().min(0).optional(),
  }),
])

/** The initial people, channels, messages, faults, and time, and the steps to replay. */
const scenario = z.strictObject({
  /** The start time. The clock runs from there. */
  clock: z.iso.datetime().optional(),
  /** Added to the default people. */
  people: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9._-]{1,21}$/, 'must be a handle: small letters, digits, . _ -'),
        realName: z.string().min(1).optional(),
        email: z.email().optional(),
        role: role.optional(),
        tz: z.string().refine(isTimeZone, 'must be a time zone such as Europe/Berlin').optional(),
      }),
    )
    .optional(),
  channels: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z0-9_-]{1,80}$/, 'must be a name of a channel: small letters, digits, _ -'),
        topic: z.string().max(250).optional(),
        members: z.array(who),
      }),
    )
    .optional(),
  /** Existing messages, oldest first. */
  history: z.array(z.strictObject({ channel: z.string(), user: who, text: z.string().min(1) })).optional(),
  faults: z.array(fault).optional(),
  /** Steps for the driver to replay. */
  steps: z.array(step).optional(),
})

const ABOUT: About = {
  what: 'scenario',
  flag: '--scenario',
  mend: 'What a scenario may hold is in src/scenario/scenario.ts of the playground.',
}

/** An explicit type, so that the packed types don't need zod. */
export const readScenario = (path: string) => readDocument(path, scenario, ABOUT)
export const parseScenario = (text: string) => parseDocumentAs(text, 'posted', scenario, ABOUT)

export type Scenario = ReturnType<typeof parseScenario>
export type Step = NonNullable<Scenario['steps']>[number]
export type OnMessage = Exclude<(Step & { do: 'act' })['on'], string>
