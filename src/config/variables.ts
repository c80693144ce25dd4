// This folder reads and checks the environment variables.

import { findSqliteFile, parseKeys } from '@signalman/durable'
import { z } from 'zod'

/** The default database: a file in the folder that the program runs in. */
export const SQLITE_URL = 'sqlite:./data/signalman.db'

/** The default time between two polls of a workspace's checks, in seconds, and its bounds. */
const POLL_SECONDS = { default: 60, min: 1, max: 3600 } as const

/** Returns the variables that are set, with trimmed values. A blank variable counts as missing. */
export const pickSetVariables = (
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => {
      const text = value?.trim()
      return text ? [[name, text]] : []
    }),
  )

const webAddress = (description: string, example = 'https://api.example.com') =>
  z
    .url({ protocol: /^https?$/, error: `isn’t a URL; give ${description}, such as ${example}` })
    .refine((url) => !/[?#]/.test(url), { error: 'contains a ? or #; give the address up to there' })

/** The service's URL. It can't contain a user name, because the token identifies the caller. */
const serviceUrl = (description: string) =>
  webAddress(description).refine((url) => !/^https?:\/\/[^/]*@/i.test(url), {
    error: 'contains a user name; remove it from the URL',
  })

/** A secret or an ID. */
const token = () =>
  z.string().regex(/^[\x21-\x7e]+$/, { error: 'contains spaces or other characters that it can’t have' })

function wholeNumber(what: string, min: number, max: number) {
  const error = `isn’t ${what}; give a whole number from ${min} to ${max}`
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error })
}

const port = () => wholeNumber('a port', 0, 65_535)

/** Reports why `parse` rejects a value. Its message never contains the value. */
const rejectUnparsable =
  (parse: (text: string) => unknown) =>
  (text: string, context: z.RefinementCtx): void => {
    try {
      parse(text)
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/\.$/, '') : ''
      context.addIssue({ code: 'custom', message: `can’t be used: ${reason}` })
    }
  }

/** Every environment variable, with the values that it accepts. */
export const Variables = z.object({
  SLACK_SIGNING_SECRET: token().optional(),
  SLACK_APP_TOKEN: token()
    .startsWith('xapp-', { error: 'isn’t an app-level token; those start with xapp-' })
    .optional(),
  SLACK_BOT_TOKEN: token()
    .refine((value) => value.startsWith('xoxb-'), {
      error: ({ input }) =>
        String(input).startsWith('xoxe.')
          ? 'expires after 12 hours, because token rotation is on; create the Slack app again without it, because Slack can’t turn it off'
          : 'isn’t a bot token; those start with xoxb-',
    })
    .optional(),
  SLACK_CLIENT_ID: token().optional(),
  SLACK_CLIENT_SECRET: token().optional(),
  SLACK_STATE_SECRET: z
    .string()
    .min(16, { error: 'is shorter than 16 characters; create one with: openssl rand -base64 32' })
    .optional(),
  SLACK_API_URL: webAddress("a Slack Web API base, or leave it out for Slack's own", 'https://slack.com/api/')
    // Methods are appended: `http://127.0.0.1:3100` means the same as `http://127.0.0.1:3100/api/`.
    .transform((base) => base.replace(/^(https?:\/\/[^/]+)\/?$/i, '$1/api').replace(/\/?$/, '/'))
    .optional(),
  API_BASE_URL: z
    .string({ error: 'isn’t set; give the URL of the service, such as https://api.example.com' })
    .pipe(serviceUrl('the address of the service')),
  API_OTE_BASE_URL: serviceUrl("the address of the service's test environment").optional(),
  API_TOKEN: token().optional(),
  API_OTE_TOKEN: token().optional(),
  DATABASE_URL: z.string().superRefine(rejectUnparsable(findSqliteFile)).default(SQLITE_URL),
  ENCRYPTION_KEYS: z.string().superRefine(rejectUnparsable(parseKeys)).optional(),
  PORT: port().default(3000),
  METRICS_PORT: port().optional(),
  PUBLIC_URL: webAddress('where Slack reaches the app')
    .refine((url) => URL.parse(url)?.pathname === '/', {
      error: 'has a path; give the address without one',
    })
    .optional(),
  HEARTBEAT_URL: z
    .url({ protocol: /^https?$/, error: 'isn’t a URL; give the address that your monitor shows' })
    .refine((url) => !/^https?:\/\/[^/]*@/i.test(url), {
      error: 'contains a user name; give an address that needs none',
    })
    .optional(),
  HOST: z.string().default('0.0.0.0'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: 'must be one of trace, debug, info, warn, error, fatal, silent',
    })
    .default('info'),
  WATCH_INTERVAL_SECONDS: wholeNumber('a number of seconds', POLL_SECONDS.min, POLL_SECONDS.max).default(
    POLL_SECONDS.default,
  ),
  GUESTS_CAN_VIEW: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .default('false')
    .transform((text) => text === 'true'),
  AUDIT_RETENTION_DAYS: wholeNumber('a number of days', 1, 36_500).optional(),
  COMMAND_PREFIX: z
    .string()
    .regex(/^[a-z0-9_-]{1,20}$/, {
      error: 'can contain only a–z, 0–9, -, and _, at most 20 characters, such as x-',
    })
    .default(''),
})
