import { parseKeys } from '@signalman/durable'
import { z } from 'zod'
import { parseAnchorTarget } from '../domain/audit-anchor.ts'
import { parseForbidden } from '../domain/forbidden-addresses.ts'
import { OPTIONAL_FEATURES, parseFeatures } from '../domain/optional-features.ts'
import { blankAsUnset, optional, url } from './variable-forms.ts'

/** How often the checks of a workspace are polled, in seconds: unless the operator says otherwise, and within which bounds. */
const POLL_SECONDS = { usual: 60, least: 1, most: 3600 } as const

const token = () =>
  z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, { error: 'holds spaces or signs that no token has' })

const port = () =>
  z.coerce
    .number({ error: 'is not a number; give a port from 0 to 65535' })
    .int({ error: 'is not a whole number' })
    .min(0, { error: 'is below 0' })
    .max(65_535, { error: 'is above 65535' })

const required = (mend: string) =>
  z.preprocess(blankAsUnset, z.string({ error: `is not set; ${mend}` }).trim())

/** The store's own complaint, which names the entry and never its value. */
function refuseBadKeys(keys: string, context: z.RefinementCtx): void {
  try {
    parseKeys(keys)
  } catch (error) {
    context.addIssue({
      code: 'custom',
      message: `cannot be used: ${error instanceof Error ? error.message : ''}`,
    })
  }
}

/** Every variable, with what it may be. */
export const Variables = z.object({
  SLACK_SIGNING_SECRET: optional(z.string().trim()),
  SLACK_APP_TOKEN: optional(
    z.string().trim().startsWith('xapp-', { error: 'is not an app-level token; those start with xapp-' }),
  ),
  SLACK_BOT_TOKEN: optional(
    z.string().trim().startsWith('xoxb-', { error: 'is not a bot token; those start with xoxb-' }),
  ),
  SLACK_CLIENT_ID: optional(z.string().trim()),
  SLACK_CLIENT_SECRET: optional(z.string().trim()),
  SLACK_STATE_SECRET: optional(
    z
      .string()
      .trim()
      .min(16, { error: 'is shorter than 16 characters; make one with: openssl rand -base64 32' }),
  ),
  SLACK_WITHOUT_FEATURES: z.preprocess(
    blankAsUnset,
    z
      .string()
      .default('')
      .transform((text, context) => {
        const features = parseFeatures(text)
        if (!('unknown' in features)) return features
        const known = OPTIONAL_FEATURES.map(({ name }) => name).join(', ')
        context.addIssue({ code: 'custom', message: `names what is no feature; there are ${known}` })
        return z.NEVER
      }),
  ),
  SLACK_API_URL: optional(
    url("a Slack Web API base, or leave it out for Slack's own", 'https://slack.com/api/')
      // Methods stand behind it: `http://127.0.0.1:3100` means what `http://127.0.0.1:3100/api/` does.
      .transform((base) => base.replace(/^(https?:\/\/[^/]+)\/?$/i, '$1/api').replace(/\/?$/, '/')),
  ),
  API_BASE_URL: required('give the address of the service, e.g. https://api.example.com').pipe(
    url('the address of the service'),
  ),
  API_OTE_BASE_URL: optional(url("the address of the service's test environment")),
  API_TOKEN: optional(token()),
  API_OTE_TOKEN: optional(token()),
  DATABASE_URL: z.preprocess(
    blankAsUnset,
    z
      .string()
      .regex(/^(sqlite:|postgres(ql)?:\/\/)/, {
        error: 'is neither sqlite:PATH nor postgres://…, e.g. sqlite:./data/signalman.db',
      })
      .default('sqlite:./data/signalman.db'),
  ),
  ENCRYPTION_KEYS: optional(z.string().superRefine(refuseBadKeys)),
  ENCRYPTION_KEYS_FILE: optional(z.string().trim()),
  ENCRYPTION_KEYS_COMMAND: optional(z.string().trim()),
  OUTCOME_JOURNAL: optional(z.string().trim()),
  AUDIT_ANCHOR: optional(
    z
      .string()
      .trim()
      .transform((text, context) => {
        const target = parseAnchorTarget(text)
        if (target === undefined)
          context.addIssue({ code: 'custom', message: 'is none of slack:CHANNEL, file:PATH and https://…' })
        return target ?? z.NEVER
      }),
  ),
  PORT: z.preprocess(blankAsUnset, port().default(3000)),
  METRICS_PORT: optional(port()),
  PUBLIC_URL: optional(
    url('where Slack reaches the app').refine((given) => URL.parse(given)?.pathname === '/', {
      error: 'has a path; give the address without one',
    }),
  ),
  HOST: z.preprocess(blankAsUnset, z.string().trim().default('0.0.0.0')),
  LOG_LEVEL: z.preprocess(
    blankAsUnset,
    z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
        error: 'is none of trace, debug, info, warn, error, fatal, silent',
      })
      .default('info'),
  ),
  WATCH_INTERVAL_SECONDS: z.preprocess(
    blankAsUnset,
    z.coerce
      .number({
        error: `is not a number; give the seconds between two polls, from ${POLL_SECONDS.least} to ${POLL_SECONDS.most}`,
      })
      .int({ error: 'is not a whole number' })
      .min(POLL_SECONDS.least, { error: `is below ${POLL_SECONDS.least}` })
      .max(POLL_SECONDS.most, { error: `is above ${POLL_SECONDS.most}` })
      .default(POLL_SECONDS.usual),
  ),
  DIAGNOSE_FORBID: optional(
    z.string().refine((text) => parseForbidden(text) !== undefined, {
      error: 'is no list of addresses, ranges (10.0.0.0/8), private, all or none, with commas between',
    }),
  ),
  WEAK_KEYS: optional(z.string().trim()),
  COMMAND_PREFIX: z.preprocess(
    blankAsUnset,
    z
      .string()
      .regex(/^[a-z0-9_-]{1,20}$/, { error: 'may hold a–z, 0–9, - and _ only, at most 20 of them, e.g. x-' })
      .default(''),
  ),
})
