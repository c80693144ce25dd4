import { PLATFORM_FEATURES, type PlatformFeature, type PlatformFeatureName } from '@signalman/slack/platform'

/** Something people can do with the app that needs more of Slack than the scopes that every deployment has. */
export interface OptionalFeature {
  /** For `--with` and `--without`, and for whoever reads what is missing. */
  readonly name: string
  /** What is lost without it. */
  readonly does: string
  readonly scopes: readonly string[]
  readonly events?: readonly string[]
  readonly command?: 'threat' | 'cert-order'
  /** What of Slack it is built on. Not every workspace has that, so it's off unless an operator turns it on. */
  readonly platform?: PlatformFeatureName
  /** Other features that it can't be without. */
  readonly includes?: readonly string[]
  /** True for what Slack reaches over HTTP alone: in Socket Mode there is no address. */
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

/**
 * What every deployment subscribes to; the needed scopes cover all of it. An uninstall deletes what is stored, a paused channel is
 * tried at once instead of within the hour, and one that is shared from now on is told nothing before somebody agrees.
 */
export const NEEDED_EVENTS = [
  'app_home_opened',
  'app_uninstalled',
  'channel_shared',
  'channel_unarchive',
  'group_unarchive',
  'member_joined_channel',
  'tokens_revoked',
  'user_change',
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
    does: 'finding a card after an interrupted post, so that it isn’t posted twice',
    scopes: ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  },
  {
    name: 'files-in',
    does: 'CSV files for /hc import, and CSRs as files',
    scopes: ['files:read'],
  },
  {
    name: 'files-out',
    does: 'exports and page sources as files',
    scopes: ['files:write'],
  },
  {
    name: 'screenshots',
    does: 'screenshots on the cards of threat events',
    // Slack shows a picture only once it has looked it through, which `files.info` says.
    scopes: ['files:read', 'files:write'],
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
    does: 'using Signalman through Slackbot (not in Socket Mode)',
    scopes: ['mcp:connect'],
    platform: 'mcp_servers',
    needsAddress: true,
  },
  {
    name: 'work-objects',
    does: 'opening threat events and orders beside the conversation, from their cards',
    scopes: [],
    platform: 'rich_previews',
  },
  {
    name: 'workflows',
    does: 'steps for workflows, such as checking a status (paid plans of Slack)',
    scopes: [],
    platform: 'functions',
    includes: ['organizations'],
  },
  {
    name: 'organizations',
    does: 'one installation for a whole Enterprise organization',
    scopes: [],
    events: ['team_access_revoked'],
    platform: 'org_deploy_enabled',
  },
  { name: 'threat', does: '/threat and looking up threat events', scopes: [], command: 'threat' },
  { name: 'cert-order', does: '/cert-order', scopes: [], command: 'cert-order' },
]

/** What a feature’s things are to Slack, where they can be opened (https://docs.slack.dev/messaging/work-objects, November 2026). */
export const ENTITY_TYPES = {
  threat: 'slack#/entities/incident',
  'cert-order': 'slack#/entities/task',
} as const

/** What Slack demands for a feature; undefined for one that every workspace has. */
export const platformOf = ({ platform }: OptionalFeature): PlatformFeature | undefined =>
  platform && PLATFORM_FEATURES[platform]

/** The bot events that a feature subscribes to. */
export const eventsOf = (feature: OptionalFeature): readonly string[] => [
  ...(feature.events ?? []),
  ...(platformOf(feature)?.events ?? []),
]

/** What an operator has chosen. */
export interface FeatureChoice {
  /** Opt-in features that are turned on. */
  readonly with: ReadonlySet<string>
  /** Features that are turned off. */
  readonly without: ReadonlySet<string>
  readonly isSocketMode: boolean
}

const isOn = (feature: OptionalFeature, { with: on, without, isSocketMode }: FeatureChoice): boolean => {
  if (!feature.platform) return !without.has(feature.name)
  const isNamed =
    on.has(feature.name) ||
    OPTIONAL_FEATURES.some((one) => on.has(one.name) && one.includes?.includes(feature.name))
  return isNamed && !(feature.needsAddress && isSocketMode)
}

/** The features that a deployment doesn't have. */
export const leftOutOf = (choice: FeatureChoice): ReadonlySet<string> =>
  new Set(OPTIONAL_FEATURES.filter((one) => !isOn(one, choice)).map(({ name }) => name))

/** What an operator may not expect: why a feature that was asked for, or that is usually on, is off. */
export const whyLeftOut = (choice: FeatureChoice): { name: string; why: string }[] =>
  OPTIONAL_FEATURES.flatMap(({ name, needsAddress }) => {
    if (choice.without.has(name))
      return [{ name, why: 'SLACK_WITHOUT_FEATURES (or --without) turns it off.' }]
    return needsAddress && choice.isSocketMode && choice.with.has(name)
      ? [{ name, why: 'Slack calls it at a public address, and Socket Mode has none.' }]
      : []
  })

/** The features that work less, or not at all, with these scopes alone; those that are left out on purpose aside. */
export const featuresWithout = (
  granted: ReadonlySet<string>,
  leftOut: ReadonlySet<string>,
): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(
    ({ name, scopes }) => !leftOut.has(name) && scopes.some((scope) => !granted.has(scope)),
  )

/** The scopes that features ask for beyond the needed ones, without those of features that are left out. */
export const optionalScopes = (leftOut: ReadonlySet<string>): string[] =>
  [
    ...new Set(OPTIONAL_FEATURES.filter(({ name }) => !leftOut.has(name)).flatMap(({ scopes }) => scopes)),
  ].toSorted()

/** Every scope that the app asks for: the needed and the optional ones. */
export const scopesFor = (leftOut: ReadonlySet<string>): string[] =>
  [...NEEDED_SCOPES, ...optionalScopes(leftOut)].toSorted()

/** The names of features that `--with` takes, or that `--without` takes. */
export const featureNames = (kind: 'with' | 'without'): string[] =>
  OPTIONAL_FEATURES.filter(({ platform }) => (platform !== undefined) === (kind === 'with')).map(
    ({ name }) => name,
  )

/** The features that a list names, or what is wrong with it as the end of a sentence. */
export function parseFeatures(
  text: string,
  kind: 'with' | 'without',
): ReadonlySet<string> | { fault: string } {
  const names = text.split(/[\s,]+/).filter(Boolean)
  const known = featureNames(kind)
  const wrong = names.find((name) => !known.includes(name))
  if (wrong === undefined) return new Set(names)
  if (OPTIONAL_FEATURES.some(({ name }) => name === wrong))
    return {
      fault:
        kind === 'with'
          ? `names ${wrong}, which is on unless SLACK_WITHOUT_FEATURES (or --without) names it`
          : `names ${wrong}, which is off unless SLACK_WITH_FEATURES (or --with) names it`,
    }
  // Not repeated: it may be anything, even a secret in the wrong place.
  return { fault: `names something that isn’t a feature; use ${known.join(', ')}` }
}
