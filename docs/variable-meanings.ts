import type { Variables } from '../src/config/variables.ts'

interface Meaning {
  readonly means: string
  /** The default, if the schema doesn't have it. */
  readonly default?: string
}

/** The meaning of each variable. The schema in src/config defines the values that it accepts. */
export const VARIABLE_MEANINGS: Readonly<Record<keyof typeof Variables.shape, Meaning>> = {
  SLACK_SIGNING_SECRET: {
    means:
      'the app’s signing secret, from *Basic Information*. Signalman uses it to verify that requests come from Slack',
    default: 'required, unless `SLACK_APP_TOKEN` is set',
  },
  SLACK_APP_TOKEN: {
    means:
      'the app-level token (`xapp-…`), which turns on Socket Mode: the app connects to Slack, so it needs no public address. `SLACK_SIGNING_SECRET` then isn’t used',
  },
  SLACK_BOT_TOKEN: {
    means: 'the app’s bot token (`xoxb-…`), for one workspace',
    default: 'required, unless `SLACK_CLIENT_ID` is set',
  },
  SLACK_CLIENT_ID: {
    means:
      'used instead of `SLACK_BOT_TOKEN` to let many workspaces install the app; from *Basic Information*',
  },
  SLACK_CLIENT_SECRET: { means: 'required with `SLACK_CLIENT_ID`; from *Basic Information*' },
  SLACK_STATE_SECRET: {
    means:
      'required with `SLACK_CLIENT_ID`: a secret of your own, such as from `openssl rand -base64 32`; at least 16 characters',
  },
  SLACK_API_URL: { means: 'another address of the Slack Web API, for tests', default: 'Slack’s' },
  API_BASE_URL: { means: 'the URL of the service' },
  API_OTE_BASE_URL: { means: 'the URL of its test environment (OTE); `--env ote` uses it' },
  API_TOKEN: { means: 'the service’s token, instead of `/hc connect`; for one workspace only' },
  API_OTE_TOKEN: { means: 'like `API_TOKEN`, for the test environment (OTE)' },
  DATABASE_URL: { means: '`sqlite:PATH` or `postgres://…`; in the image `sqlite:/data/signalman.db`' },
  ENCRYPTION_KEYS: {
    means:
      '`id:base64key[,…]`, 32-byte keys. The first one encrypts, all of them decrypt. Required with PostgreSQL',
    default: 'created next to the SQLite file',
  },
  PORT: { means: 'the port to listen on; 0 picks a free one' },
  METRICS_PORT: { means: 'a separate port for `/metrics`', default: '`/metrics` is on `PORT`' },
  PUBLIC_URL: {
    means:
      'where Slack reaches the app, such as `https://signalman.example.com`; used by `doctor` and `manifest`',
  },
  HEARTBEAT_URL: {
    means:
      'the address that [a monitor of the app itself](operate.md#know-when-signalman-itself-is-down) gives you',
  },
  HOST: { means: 'the address to listen on' },
  LOG_LEVEL: { means: '`trace`, `debug`, `info`, `warn`, `error`, `fatal`, or `silent`' },
  WATCH_INTERVAL_SECONDS: { means: 'seconds between two polls of watched checks, from 1 to 3600' },
  GUESTS_CAN_VIEW: {
    means: '`true` lets guests look things up. They can never change, export, or share anything',
  },
  AUDIT_RETENTION_DAYS: {
    means: 'after how many days entries of the audit log are deleted, in all workspaces',
    default: 'never deleted',
  },
  COMMAND_PREFIX: {
    means: 'a prefix for every command, such as `x-` for `/x-hc`; messages and buttons use it too',
    default: 'none',
  },
}
