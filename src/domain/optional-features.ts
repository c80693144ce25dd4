/** A feature of the app that needs more from Slack than the scopes and events that every deployment has. */
export interface OptionalFeature {
  /** Its name for `--with` and `--without`, and in messages about what is missing. */
  readonly name: string
  /** What it lets people do. */
  readonly description: string
  readonly scopes: readonly string[]
  readonly events?: readonly string[]
  /** The Slack plans that have it. Such a feature is off unless an operator turns it on. By default, it works on every plan. */
  readonly plan?: string
}

/** Without these, the app can't receive requests, answer them, or recognize people from other organizations. */
export const REQUIRED_SCOPES = [
  'channels:read',
  'chat:write',
  'commands',
  'groups:read',
  'im:read',
  'users:read',
] as const

/**
 * Events that every deployment subscribes to. They need no further scopes. Because of them, Signalman deletes stored data after an
 * uninstall, retries a paused channel right away instead of within the hour, and stops posting in a channel that becomes shared
 * until someone consents.
 */
export const REQUIRED_EVENTS = [
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
    description: '@Signalman in channels and threads',
    scopes: ['app_mentions:read', 'channels:history', 'groups:history', 'mpim:history'],
    events: ['app_mention'],
  },
  {
    name: 'direct-messages',
    description: 'writing to @Signalman directly',
    scopes: ['im:history'],
    events: ['message.im'],
  },
  {
    name: 'post-recovery',
    description: 'looking for duplicates in the channel after an interrupted post',
    scopes: ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  },
  {
    name: 'file-uploads',
    description: 'uploading files: CSV for /hc import, and CSRs',
    scopes: ['files:read'],
  },
  {
    name: 'file-exports',
    description: 'downloading exports and the HTML of reported pages',
    scopes: ['files:write'],
  },
  {
    name: 'screenshots',
    description: 'screenshots on the cards of threat events',
    // Slack shows a picture only after it has processed it, and `files.info` says when.
    scopes: ['files:read', 'files:write'],
  },
  {
    name: 'user-groups',
    description: 'roles for user groups',
    scopes: ['usergroups:read'],
  },
  {
    name: 'recipients-by-name',
    description: 'choosing people as recipients of an alert',
    scopes: ['users:read.email'],
  },
  {
    name: 'group-messages',
    description: 'sharing cards in group direct messages',
    scopes: ['mpim:read'],
  },
  {
    name: 'organizations',
    description: 'one installation for a whole Enterprise organization',
    scopes: [],
    events: ['team_access_revoked'],
    plan: 'Enterprise plans',
  },
  { name: 'threat', description: '/threat and looking up threat events', scopes: [] },
  { name: 'cert-order', description: '/cert-order', scopes: [] },
]

/** The operator's choice. */
export interface FeatureChoice {
  /** Opt-in features that are turned on. */
  readonly with: ReadonlySet<string>
  /** Features that are turned off. */
  readonly without: ReadonlySet<string>
}

const isOn = (feature: OptionalFeature, { with: on, without }: FeatureChoice): boolean => {
  if (!feature.plan) return !without.has(feature.name)
  return on.has(feature.name)
}

/** The features that a deployment doesn't have. */
export const findDisabledFeatures = (choice: FeatureChoice): ReadonlySet<string> =>
  new Set(OPTIONAL_FEATURES.filter((feature) => !isOn(feature, choice)).map(({ name }) => name))

/** Explains to an operator why features that they requested, or that are on by default, are off. */
export const explainDisabledFeatures = (choice: FeatureChoice): { name: string; why: string }[] =>
  OPTIONAL_FEATURES.flatMap(({ name }) =>
    choice.without.has(name) ? [{ name, why: 'SLACK_WITHOUT_FEATURES (or --without) turns it off.' }] : [],
  )

/** The features that don't fully work with these scopes, except those that are turned off. */
export const findIncompleteFeatures = (
  granted: ReadonlySet<string>,
  disabledFeatures: ReadonlySet<string>,
): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(
    ({ name, scopes }) => !disabledFeatures.has(name) && scopes.some((scope) => !granted.has(scope)),
  )

/** The optional scopes, without those of features that are turned off. */
export const listOptionalScopes = (disabledFeatures: ReadonlySet<string>): string[] =>
  [
    ...new Set(
      OPTIONAL_FEATURES.filter(({ name }) => !disabledFeatures.has(name)).flatMap(({ scopes }) => scopes),
    ),
  ].toSorted()

/** Every scope that the app requests: required and optional. */
export const listScopes = (disabledFeatures: ReadonlySet<string>): string[] =>
  [...REQUIRED_SCOPES, ...listOptionalScopes(disabledFeatures)].toSorted()

/** The feature names that `--with` or `--without` accepts. */
export const listFeatureNames = (kind: 'with' | 'without'): string[] =>
  OPTIONAL_FEATURES.filter(({ plan }) => (plan !== undefined) === (kind === 'with')).map(({ name }) => name)

/** Parses a list of features. If it has an unknown name, returns the problem as the end of a sentence. */
export function parseFeatures(
  text: string,
  kind: 'with' | 'without',
): ReadonlySet<string> | { fault: string } {
  const names = text.split(/[\s,]+/).filter(Boolean)
  const acceptedNames = listFeatureNames(kind)
  const unknownName = names.find((name) => !acceptedNames.includes(name))
  if (unknownName === undefined) return new Set(names)
  if (OPTIONAL_FEATURES.some(({ name }) => name === unknownName))
    return {
      fault:
        kind === 'with'
          ? `names ${unknownName}, which is on by default; to turn it off, use SLACK_WITHOUT_FEATURES (or --without)`
          : `names ${unknownName}, which is off by default; to turn it on, use SLACK_WITH_FEATURES (or --with)`,
    }
  // Not quoted: it may be anything, even a secret in the wrong place.
  return { fault: `names something that isn’t a feature; use ${acceptedNames.join(', ')}` }
}
