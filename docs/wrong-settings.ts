/**
 * The ways in which people misconfigure a deployment, and what tells them. Each is tested (test/doctor/wrong-settings.test.ts), and
 * listed in docs/wrong-settings.md.
 */
export interface WrongSetting {
  /** The variable, or what is wrong outside of the environment. */
  readonly setting: string
  readonly mistake: string
  /** The variables that make the mistake, on top of those of a deployment that works. An empty one is removed. */
  readonly variables?: Readonly<Record<string, string>>
  /** The app doesn't start. `configuration` if that's already known from the variables; otherwise a part of the message. */
  readonly start?: string
  /** A part of the fault that `signalman doctor` reports. */
  readonly doctor?: string
  /** The check of `/readyz` that fails. */
  readonly ready?: string
  /** The example alert that fires. */
  readonly alert?: string
  /** A part of what the app logs when it starts, although it starts. */
  readonly log?: string
  /** A part of the page that people see. */
  readonly page?: string
  /** Why nothing can tell. At most three. */
  readonly unseen?: string
}

const CONFIGURATION = 'configuration'
const MANY = {
  SLACK_BOT_TOKEN: '',
  API_TOKEN: '',
  SLACK_CLIENT_ID: 'playground-client',
  SLACK_CLIENT_SECRET: 'playground-client-secret',
  SLACK_STATE_SECRET: 'a-state-secret-of-thirty-two-signs',
} as const
const ZERO_KEY = `k1:${Buffer.alloc(32).toString('base64')}`

/** Every start refuses these, and `doctor` says the same. */
const REFUSED: readonly (readonly [setting: string, mistake: string, variables: Record<string, string>])[] = [
  ['SLACK_SIGNING_SECRET', 'is missing, and Socket Mode isn’t used', { SLACK_SIGNING_SECRET: '' }],
  ['SLACK_BOT_TOKEN', 'is missing', { SLACK_BOT_TOKEN: '' }],
  ['SLACK_BOT_TOKEN', 'is the app-level token (swapped)', { SLACK_BOT_TOKEN: 'xapp-1-A0EXAMPLE-1-abc' }],
  ['SLACK_BOT_TOKEN', 'is a token of an app with token rotation', { SLACK_BOT_TOKEN: 'xoxe.xoxb-1-abc' }],
  ['SLACK_BOT_TOKEN', 'is a person’s token', { SLACK_BOT_TOKEN: 'xoxp-1-abc' }],
  ['SLACK_BOT_TOKEN', 'is set together with `SLACK_CLIENT_ID`', { SLACK_CLIENT_ID: '1.2' }],
  ['SLACK_APP_TOKEN', 'is the bot token (swapped)', { SLACK_APP_TOKEN: 'xoxb-1-abc' }],
  ['SLACK_CLIENT_SECRET', 'is missing beside `SLACK_CLIENT_ID`', { ...MANY, SLACK_CLIENT_SECRET: '' }],
  ['SLACK_STATE_SECRET', 'is too short to be secret', { ...MANY, SLACK_STATE_SECRET: 'short' }],
  ['SLACK_CONFIG_TOKEN', 'is another kind of token', { SLACK_CONFIG_TOKEN: 'xoxb-1-abc' }],
  ['SLACK_API_URL', 'isn’t a URL', { SLACK_API_URL: 'slack.com' }],
  ['SLACK_WITH_FEATURES', 'names a feature that doesn’t exist', { SLACK_WITH_FEATURES: 'teleport' }],
  ['API_BASE_URL', 'is missing', { API_BASE_URL: '' }],
  ['API_BASE_URL', 'isn’t a URL', { API_BASE_URL: 'api.example.com' }],
  ['API_BASE_URL', 'has a query', { API_BASE_URL: 'https://api.example.com/?key=1' }],
  ['API_BASE_URL', 'contains a user name', { API_BASE_URL: 'https://me@api.example.com' }],
  [
    'API_OTE_BASE_URL',
    'is the address of production',
    { API_BASE_URL: 'https://api.example.com', API_OTE_BASE_URL: 'https://API.example.com:443/' },
  ],
  ['API_TOKEN', 'contains a space, such as `Bearer …`', { API_TOKEN: 'Bearer abc' }],
  ['API_TOKEN', 'is set although many workspaces install the app', { ...MANY, API_TOKEN: 'abc' }],
  ['DATABASE_URL', 'is another kind of database', { DATABASE_URL: 'mysql://u:p@localhost/x' }],
  [
    'ENCRYPTION_KEYS',
    'is missing with PostgreSQL',
    { DATABASE_URL: 'postgres://u:p@localhost/x', ENCRYPTION_KEYS: '' },
  ],
  ['ENCRYPTION_KEYS', 'is all zeros', { ENCRYPTION_KEYS: ZERO_KEY }],
  ['ENCRYPTION_KEYS', 'is too short', { ENCRYPTION_KEYS: 'k1:c2hvcnQ=' }],
  ['ENCRYPTION_KEYS', 'is set together with `ENCRYPTION_KEYS_FILE`', { ENCRYPTION_KEYS_FILE: '/run/keys' }],
  [
    'ENCRYPTION_KEYS_FILE',
    'names a file that doesn’t exist',
    { ENCRYPTION_KEYS: '', ENCRYPTION_KEYS_FILE: '/nowhere/keys' },
  ],
  [
    'ENCRYPTION_KEYS_COMMAND',
    'names a program that doesn’t exist',
    { ENCRYPTION_KEYS: '', ENCRYPTION_KEYS_COMMAND: 'no-such-vault get' },
  ],
  ['AUDIT_ANCHOR', 'is neither a channel nor a file', { AUDIT_ANCHOR: '#audit' }],
  ['AUDIT_ANCHOR', 'lacks the workspace of its channel', { ...MANY, AUDIT_ANCHOR: 'slack:C0AUDIT' }],
  ['PORT', 'is out of range', { PORT: '70000' }],
  ['METRICS_PORT', 'is the same as `PORT`', { PORT: '3000', METRICS_PORT: '3000' }],
  ['PUBLIC_URL', 'has a path', { PUBLIC_URL: 'https://signalman.example.com/slack' }],
  ['LOG_LEVEL', 'isn’t a level', { LOG_LEVEL: 'verbose' }],
  ['WATCH_INTERVAL_SECONDS', 'is 0', { WATCH_INTERVAL_SECONDS: '0' }],
  ['COMMAND_PREFIX', 'contains a slash', { COMMAND_PREFIX: '/x-' }],
  ['any variable', 'is misspelled', { SLACK_BOT_TOKN: 'xoxb-1-abc' }],
  ['any variable', 'is in lower case', { log_level: 'warn' }],
  ['any variable', 'is in quotes', { LOG_LEVEL: '"info"' }],
]

export const WRONG_SETTINGS: readonly WrongSetting[] = [
  ...REFUSED.map(([setting, mistake, variables]) => ({ setting, mistake, variables, start: CONFIGURATION })),
  {
    setting: 'SLACK_SIGNING_SECRET',
    mistake: 'is another app’s',
    alert: 'SignalmanSignaturesRefused',
  },
  {
    setting: 'SLACK_BOT_TOKEN',
    mistake: 'was revoked',
    variables: { SLACK_BOT_TOKEN: 'xoxb-revoked' },
    doctor: 'Slack refuses the bot token: invalid_auth',
    ready: 'slack',
  },
  {
    setting: 'SLACK_APP_TOKEN',
    mistake: 'was revoked',
    variables: { SLACK_APP_TOKEN: 'xapp-other' },
    doctor: 'Slack rejected it: invalid_auth',
    ready: 'sockets',
    alert: 'SignalmanNoSocket',
  },
  {
    setting: 'SLACK_APP_TOKEN',
    mistake: 'belongs to another Slack app than the bot token',
    variables: { SLACK_APP_TOKEN: 'xapp-1-A0OTHERAPP-1234567890-abcdef' },
    doctor: 'SLACK_APP_TOKEN belongs to the Slack app A0OTHERAPP',
  },
  {
    setting: 'SLACK_APP_TOKEN',
    mistake: 'is used by a second deployment with another database',
    doctor: 'Another deployment with another database uses the same SLACK_APP_TOKEN',
    alert: 'SignalmanForeignSockets',
    log: 'Another deployment uses the same SLACK_APP_TOKEN',
  },
  {
    setting: 'SLACK_CLIENT_SECRET',
    mistake: 'is another app’s',
    variables: { ...MANY, SLACK_CLIENT_SECRET: 'another' },
    doctor: 'Slack refuses SLACK_CLIENT_SECRET',
  },
  {
    setting: 'token rotation',
    mistake: 'is on in the Slack app',
    page: 'Token rotation is on in the settings of the Slack app',
  },
  {
    setting: 'SLACK_API_URL',
    mistake: 'is a login page or a proxy',
    doctor: 'Something other than Slack responds',
    ready: 'slack',
  },
  {
    setting: 'API_BASE_URL',
    mistake: 'can’t be reached',
    variables: { API_BASE_URL: 'http://127.0.0.1:9' },
    doctor: 'doesn’t respond',
    alert: 'SignalmanServiceErrors',
  },
  {
    setting: 'API_TOKEN',
    mistake: 'is revoked, or of the other environment',
    variables: { API_TOKEN: 'of-another-environment' },
    doctor: 'It refuses the token',
    alert: 'SignalmanServiceErrors',
  },
  {
    setting: 'API_OTE_TOKEN',
    mistake: 'is set without `API_OTE_BASE_URL`',
    variables: { API_OTE_TOKEN: 'abc' },
    doctor: 'API_OTE_TOKEN is set, but API_OTE_BASE_URL isn’t',
  },
  {
    setting: 'DATABASE_URL',
    mistake: 'is only in memory',
    variables: { DATABASE_URL: 'sqlite::memory:' },
    doctor: 'only in memory',
    log: 'only in memory',
  },
  {
    setting: 'DATABASE_URL',
    mistake: 'is in a folder that isn’t writable',
    variables: { DATABASE_URL: 'sqlite:/dev/null/none/a.db' },
    start: 'can’t be opened, because part of its path is a file',
    doctor: 'isn’t writable',
  },
  {
    setting: 'DATABASE_URL',
    mistake: 'is a PostgreSQL server that doesn’t answer',
    variables: { DATABASE_URL: 'postgres://u:p@127.0.0.1:9/x' },
    start: 'doesn’t answer: start it',
    doctor: 'doesn’t answer: start it',
  },
  {
    setting: 'DATABASE_URL',
    mistake: 'is PgBouncer with its default settings',
    start: 'as PgBouncer does',
    doctor: 'as PgBouncer does',
  },
  {
    setting: 'ENCRYPTION_KEYS',
    mistake: 'are those of another database',
    start: 'isn’t among the encryption keys',
    doctor: 'isn’t among the encryption keys',
  },
  {
    setting: 'OUTCOME_JOURNAL',
    mistake: 'is a folder that isn’t writable',
    variables: { OUTCOME_JOURNAL: '/dev/null/none' },
    start: 'an’t write to the journal folder',
    doctor: 'an’t write to the journal folder',
  },
  {
    setting: 'AUDIT_ANCHOR',
    mistake: 'is a file that can’t be written',
    variables: { AUDIT_ANCHOR: 'file:/proc/anchor.txt' },
    doctor: 'so the audit log isn’t anchored',
    alert: 'SignalmanAuditNotAnchored',
  },
  {
    setting: 'AUDIT_ANCHOR',
    mistake: 'is a file in a folder that doesn’t exist',
    variables: { AUDIT_ANCHOR: 'file:/nowhere/at/all/anchor' },
    doctor: 'doesn’t exist',
    alert: 'SignalmanAuditNotAnchored',
  },
  {
    setting: 'AUDIT_ANCHOR',
    mistake: 'is a channel that doesn’t exist, or that the app isn’t in',
    variables: { AUDIT_ANCHOR: 'slack:C0NOSUCH99' },
    doctor: 'Slack refuses the channel C0NOSUCH99 (channel_not_found)',
    alert: 'SignalmanAuditNotAnchored',
  },
  {
    setting: 'AUDIT_ANCHOR',
    mistake: 'is a place of another database, or each replica has its own file',
    doctor: 'has records of another database',
    alert: 'SignalmanAuditNotAnchored',
  },
  {
    setting: 'AUDIT_ANCHOR',
    mistake: 'is another place than that of the other replicas',
    doctor: 'All replicas must share one place',
  },
  {
    setting: 'PORT',
    mistake: 'is used by another program',
    start: 'EADDRINUSE',
    doctor: 'Something else is running at',
  },
  {
    setting: 'PUBLIC_URL',
    mistake: 'leads to another program',
    doctor: 'Something else is running there',
  },
  {
    setting: 'Slack manifest',
    mistake: 'lacks a required scope',
    doctor: 'The app lacks required scopes',
  },
  {
    setting: 'SQLite file',
    mistake: 'is used by two deployments',
    log: 'Another copy of Signalman is using this database file',
  },
  {
    setting: 'the same tokens',
    mistake: 'are used by a second deployment over HTTP, with another database',
    unseen:
      'Slack sends every request to the one Request URL of the app, so the other deployment gets none. But it posts what it watches a second time, and nothing tells one deployment of another.',
  },
  {
    setting: 'API_OTE_BASE_URL',
    mistake: 'is another name of production',
    unseen:
      'The service doesn’t say which environment it is. Two names for the same address look like two environments.',
  },
]
