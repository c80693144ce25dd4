import { z } from 'zod'
import { type DocumentKind, parseDocumentAs, readDocument } from '../manifest/document.ts'
import { isTimeZone } from '../protocol/time-zones.ts'

/** A person's handle or ID, or `bot` for the app's bot. */
const personName = z.string().min(1)
const role = z.enum(['member', 'admin', 'guest', 'single-channel-guest'])

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

/** A scenario: the initial people, channels, messages, faults, and time. */
const scenario = z.strictObject({
  /** The time at the start. The clock keeps running from there. */
  clock: z.iso.datetime().optional(),
  /** Added to the default people. */
  people: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z0-9._-]{1,21}$/, 'must be a handle: lowercase letters, digits, . _ -'),
        realName: z.string().min(1).optional(),
        displayName: z.string().min(1).max(80).optional(),
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
          .regex(/^[a-z0-9_-]{1,80}$/, 'must be a channel name: lowercase letters, digits, _ -'),
        topic: z.string().max(250).optional(),
        members: z.array(personName),
      }),
    )
    .optional(),
  /** Existing messages, oldest first. */
  history: z
    .array(z.strictObject({ channel: z.string(), user: personName, text: z.string().min(1) }))
    .optional(),
  faults: z.array(fault).optional(),
})

const SCENARIO_DOCUMENT: DocumentKind = {
  name: 'scenario',
  flag: '--scenario',
  advice: 'src/scenario/scenario.ts of the playground defines what a scenario can contain.',
}

export const readScenario = (path: string) => readDocument(path, scenario, SCENARIO_DOCUMENT)
export const parseScenario = (text: string) => parseDocumentAs(text, 'posted', scenario, SCENARIO_DOCUMENT)

export type Scenario = ReturnType<typeof parseScenario>
