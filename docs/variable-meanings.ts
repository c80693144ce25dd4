import type { Variables } from '../src/config/variables.ts'

interface Meaning {
  readonly means: string
  /** What holds where it is not set, where its form does not say so. */
  readonly without?: string
}

/** What each variable is for; the form in src/config says what it may be. */
export const VARIABLE_MEANINGS: Readonly<Record<keyof typeof Variables.shape, Meaning>> = {
  SLACK_SIGNING_SECRET: {
    means: 'the app’s signing secret, from *Basic Information*: requests of Slack come signed with it',
    without: 'required, unless `SLACK_APP_TOKEN` is set',
  },
  SLACK_APP_TOKEN: {
    means:
      'Socket Mode (`xapp-…`): requests come over sockets that the app opens, so that no public address and no signing secret is needed',
  },
  SLACK_BOT_TOKEN: {
    means: 'the app’s bot token (`xoxb-…`), for one workspace',
    without: 'required, unless the next three are set',
  },
  SLACK_CLIENT_ID: { means: 'in place of the bot token: many workspaces, which install the app themselves' },
  SLACK_CLIENT_SECRET: { means: 'goes with it, from *Basic Information*' },
  SLACK_STATE_SECRET: {
    means: 'goes with it: a secret of your own, `openssl rand -base64 32`; at least 16 characters',
  },
  SLACK_WITH_FEATURES: {
    means:
      'opt-in features that this deployment turns on, because not every workspace has them: `workflows`, `work-objects`, `slackbot`, `organizations` ([what Slack demands](slack-features.md)). Give Slack the new manifest afterwards',
    without: 'none',
  },
  SLACK_WITHOUT_FEATURES: {
    means:
      'features that this deployment turns off, such as `mentions, files-out` (`signalman manifest --help` lists them). Signalman no longer requests their scopes, at `/slack/install` either',
    without: 'none',
  },
  SLACK_CONFIG_TOKEN: {
    means:
      'an app configuration token (`xoxe.xoxp-…`, from *Your App Configuration Tokens* at api.slack.com/apps): `doctor` has Slack validate the manifest with it, which creates nothing. Only `doctor` uses it, and it’s never logged',
    without: 'Slack isn’t asked',
  },
  SLACK_API_URL: { means: 'another Slack Web API, for tests', without: 'Slack’s' },
  API_BASE_URL: { means: 'the address of the service' },
  API_OTE_BASE_URL: { means: 'its test environment; `--env ote` behind a command asks there' },
  API_TOKEN: { means: 'the service’s token, in place of `/hc connect`; for one workspace only' },
  API_OTE_TOKEN: { means: 'the same for the test environment' },
  DATABASE_URL: { means: '`sqlite:PATH` or `postgres://…`; in the image `sqlite:/data/signalman.db`' },
  ENCRYPTION_KEYS: {
    means: '`id:base64key[,…]`, 32-byte keys; the first seals, all open. Required on PostgreSQL',
    without: 'made, and kept beside the SQLite file',
  },
  ENCRYPTION_KEYS_FILE: {
    means:
      'in place of it: a file with that text. Nobody but its owner may write it, and all may read it only on a mount that is read-only, as Kubernetes, Swarm and Compose hand secrets over. A change of it counts at once',
  },
  ENCRYPTION_KEYS_COMMAND: {
    means:
      'in place of it: a command that prints the text at each start, run without a shell, such as `vault kv get -field=keys secret/signalman`. In the image there is no other program: mount one, or the file',
  },
  OUTCOME_JOURNAL: {
    means: 'the folder in which an answer of the service is kept, sealed, while the database is away',
    without:
      '`<database>.journal/` beside the SQLite file; with PostgreSQL `data/journal`; in the image `/data/journal`',
  },
  AUDIT_ANCHOR: {
    means:
      'where the signed ends of the audit log are put, out of reach of whoever has the database: `slack:CHANNEL` (`slack:WORKSPACE/CHANNEL` with many) or `file:PATH`. Don’t rotate the file: name another path',
  },
  PORT: { means: 'the port on which it listens; 0 takes a free one' },
  METRICS_PORT: { means: 'a port for `/metrics` alone', without: 'they are on `PORT`' },
  PUBLIC_URL: {
    means:
      'where Slack reaches the app, such as `https://signalman.example.com`: for `doctor`’s signed request, and `manifest`',
  },
  HOST: { means: 'the address on which it listens' },
  LOG_LEVEL: { means: '`trace` to `fatal`, or `silent`' },
  WATCH_INTERVAL_SECONDS: { means: 'seconds between two looks at what is watched, from 1 to 3600' },
  DIAGNOSE_FORBID: {
    means:
      'what `/hc diagnose`, and the first look at a check that falls, do not connect to: addresses, ranges, `private`, `all` or `none`, with commas between; link-local addresses and those where clouds hand out keys (`169.254.0.0/16`, `fe80::/10` and the like) always',
    without: '`private` for many workspaces, else `none`',
  },
  WEAK_KEYS: {
    means:
      'a list of weak RSA keys, or a folder of them, as `openssl-blacklist` has them: 20 or 40 hexadecimal digits a line; read at the start',
  },
  COMMAND_PREFIX: {
    means:
      'put in front of every command, such as `x-` for `/x-hc`, also where sentences and buttons name one',
    without: 'none',
  },
}

/** OpenTelemetry's own: they are set for many programs at once, so that none of them stops the start. */
export const TRACING_ROW: readonly string[] = [
  '`OTEL_EXPORTER_OTLP_ENDPOINT`',
  'an OpenTelemetry collector for traces, such as `http://otel:4318` (OTLP over HTTP, as JSON); also `OTEL_EXPORTER_OTLP_HEADERS`, `_TIMEOUT`, `_COMPRESSION`, `_CERTIFICATE` and the client’s two, each for `_TRACES_` alone too; `OTEL_TRACES_EXPORTER=none`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_TRACES_SAMPLER_ARG`, `OTEL_SDK_DISABLED`',
  'none: nothing of it is loaded',
]
