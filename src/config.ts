import { z } from 'zod'

const url = (what: string) =>
  z.url({ protocol: /^https?$/, error: `is not a web address; give ${what}, e.g. https://api.example.com` })

const blankAsUnset = (value: unknown) =>
  typeof value === 'string' && value.trim() === '' ? undefined : value
const optional = <T extends z.ZodType>(schema: T) => z.preprocess(blankAsUnset, schema.optional())
const required = (mend: string) =>
  z.preprocess(blankAsUnset, z.string({ error: `is not set; ${mend}` }).trim())

const Variables = z.object({
  SLACK_SIGNING_SECRET: required('copy it from Basic Information → App Credentials of the Slack app'),
  SLACK_BOT_TOKEN: required('copy the Bot User OAuth Token from OAuth & Permissions of the Slack app').pipe(
    z.string().startsWith('xoxb-', { error: 'is not a bot token; those start with xoxb-' }),
  ),
  SLACK_API_URL: optional(url("a Slack Web API base; leave it out for Slack's own")),
  API_BASE_URL: required('give the address of the service, e.g. https://api.example.com').pipe(
    url('the address of the service'),
  ),
  API_OTE_BASE_URL: optional(url("the address of the service's test environment")),
  API_TOKEN: optional(z.string().trim()),
  API_OTE_TOKEN: optional(z.string().trim()),
  DATABASE_URL: z.preprocess(
    blankAsUnset,
    z
      .string()
      .regex(/^(sqlite:|postgres(ql)?:\/\/)/, {
        error: 'is neither sqlite:PATH nor postgres://…, e.g. sqlite:./data/signalman.db',
      })
      .default('sqlite:./data/signalman.db'),
  ),
  ENCRYPTION_KEYS: optional(z.string()),
  PORT: z.preprocess(
    blankAsUnset,
    z.coerce
      .number({ error: 'is not a number; give a port from 0 to 65535' })
      .int({ error: 'is not a whole number' })
      .min(0, { error: 'is below 0' })
      .max(65_535, { error: 'is above 65535' })
      .default(3000),
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
  COMMAND_PREFIX: z.preprocess(
    blankAsUnset,
    z
      .string()
      .regex(/^[a-z0-9_-]{1,20}$/, { error: 'may hold a–z, 0–9, - and _ only, at most 20 of them, e.g. x-' })
      .default(''),
  ),
})

export interface Config {
  slack: { signingSecret: string; botToken: string; apiUrl: string | undefined }
  service: {
    baseUrl: string
    oteBaseUrl: string | undefined
    tokens: { production?: string; ote?: string }
  }
  databaseUrl: string
  encryptionKeys: string | undefined
  port: number
  host: string
  logLevel: string
  commandPrefix: string
}

/** Every fault of the configuration, in one message that is safe to print: it names variables, never their values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  constructor(faults: readonly string[]) {
    super(
      `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`,
    )
  }
}

/** Reads the environment once. Throws ConfigError naming every fault together. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const read = Variables.safeParse(environment)
  if (!read.success) {
    throw new ConfigError(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`))
  }
  const variables = read.data
  return {
    slack: {
      signingSecret: variables.SLACK_SIGNING_SECRET,
      botToken: variables.SLACK_BOT_TOKEN,
      apiUrl: variables.SLACK_API_URL,
    },
    service: {
      baseUrl: variables.API_BASE_URL,
      oteBaseUrl: variables.API_OTE_BASE_URL,
      tokens: {
        ...(variables.API_TOKEN && { production: variables.API_TOKEN }),
        ...(variables.API_OTE_TOKEN && { ote: variables.API_OTE_TOKEN }),
      },
    },
    databaseUrl: variables.DATABASE_URL,
    encryptionKeys: variables.ENCRYPTION_KEYS,
    port: variables.PORT,
    host: variables.HOST,
    logLevel: variables.LOG_LEVEL,
    commandPrefix: variables.COMMAND_PREFIX,
  }
}
