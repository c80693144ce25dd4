/** What people can do with the app that needs more of Slack than the six scopes to start with. */
export interface OptionalFeature {
  /** For `--without`, and for whoever reads what is missing. */
  readonly name: string
  /** What is lost without it. */
  readonly does: string
  readonly scopes: readonly string[]
  readonly events?: readonly string[]
  readonly command?: 'threat' | 'cert-order'
  /** True for what Slack reaches over HTTP alone: in Socket Mode there is none. */
  readonly needsAddress?: true
}

/** Without these nothing can be asked, answered, or kept from people of other organizations. */
export const NEEDED_SCOPES = [
  'channels:read',
  'chat:write',
  'commands',
  'groups:read',
  'im:read',
  'users:read',
] as const

export const OPTIONAL_FEATURES: readonly OptionalFeature[] = [
  {
    name: 'mentions',
    does: '@Signalman in channels and threads',
    scopes: ['app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'],
    events: ['app_mention'],
  },
  {
    name: 'direct-messages',
    does: 'writing to @Signalman directly',
    scopes: ['im:history'],
    events: ['message.im'],
  },
  {
    name: 'watch-once',
    does: 'finding a card whose posting was cut short, so that it is not posted twice',
    scopes: ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  },
  {
    name: 'files-in',
    does: 'CSV files for /hc import, and CSRs as files',
    scopes: ['files:read'],
  },
  {
    name: 'files-out',
    does: 'exports, screenshots and page sources as files',
    scopes: ['files:write'],
  },
  {
    name: 'user-groups',
    does: 'roles for user groups',
    scopes: ['usergroups:read'],
  },
  {
    name: 'recipients-by-name',
    does: 'picking people as recipients of an alert',
    scopes: ['users:read.email'],
  },
  {
    name: 'group-messages',
    does: 'sharing in direct messages of several people',
    scopes: ['mpim:read'],
  },
  {
    name: 'slackbot',
    does: 'asking Slackbot, which reads and shows what it would do (not in Socket Mode)',
    scopes: ['mcp:connect'],
    needsAddress: true,
  },
  {
    name: 'work-objects',
    does: 'opening threat events and orders beside the conversation, from their cards',
    scopes: [],
    events: ['entity_details_requested'],
  },
  {
    name: 'workflows',
    does: 'steps for workflows, such as checking a status (paid plans of Slack)',
    scopes: [],
  },
  { name: 'threat', does: '/threat and looking up threat events', scopes: [], command: 'threat' },
  { name: 'cert-order', does: '/cert-order', scopes: [], command: 'cert-order' },
]

/** What a feature’s things are to Slack, where they can be opened (https://docs.slack.dev/messaging/work-objects, November 2026). */
export const ENTITY_TYPES = {
  threat: 'slack#/entities/incident',
  'cert-order': 'slack#/entities/task',
} as const

/** What is left out on purpose, and what cannot be: over sockets Slack reaches no address. */
export const leftOutOf = (chosen: ReadonlySet<string>, isSocketMode: boolean): ReadonlySet<string> =>
  isSocketMode
    ? new Set([...chosen, ...OPTIONAL_FEATURES.filter((one) => one.needsAddress).map(({ name }) => name)])
    : chosen

/** Why each of those that are left out is. */
export const whyLeftOut = (
  leftOut: ReadonlySet<string>,
  isSocketMode: boolean,
): { name: string; why: string }[] =>
  OPTIONAL_FEATURES.filter(({ name }) => leftOut.has(name)).map(({ name, needsAddress }) => ({
    name,
    why:
      needsAddress && isSocketMode
        ? 'Slack calls it at a public address, and in Socket Mode there is none.'
        : 'SLACK_WITHOUT_FEATURES (or --without) names it.',
  }))

/** The features that work less, or not at all, with these scopes alone; those that are left out on purpose aside. */
export const featuresWithout = (
  granted: ReadonlySet<string>,
  leftOut: ReadonlySet<string> = new Set(),
): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(
    ({ name, scopes }) => !leftOut.has(name) && scopes.some((scope) => !granted.has(scope)),
  )

/** The scopes that features ask for beyond the needed ones, without those of features that are left out. */
export const optionalScopes = (leftOut: ReadonlySet<string>): string[] =>
  [
    ...new Set(OPTIONAL_FEATURES.filter(({ name }) => !leftOut.has(name)).flatMap(({ scopes }) => scopes)),
  ].toSorted()

/** What a list of features names that there is not, or the features. */
export function parseFeatures(text: string): ReadonlySet<string> | { unknown: string } {
  const names = text.split(/[\s,]+/).filter(Boolean)
  const unknown = names.find((name) => !OPTIONAL_FEATURES.some((one) => one.name === name))
  return unknown === undefined ? new Set(names) : { unknown }
}
