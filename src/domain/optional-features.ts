/** A feature that needs optional scopes. The person who installs the app can decline them, and the rest of the app works. */
export interface OptionalFeature {
  /** Its name in messages about what is missing. */
  readonly name: string
  /** What it lets people do. */
  readonly description: string
  readonly scopes: readonly string[]
  readonly events?: readonly string[]
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
 * uninstall, and stops posting in a channel that becomes shared until someone consents.
 */
export const REQUIRED_EVENTS = [
  'app_home_opened',
  'app_uninstalled',
  'channel_shared',
  'tokens_revoked',
  'user_change',
] as const

export const OPTIONAL_FEATURES: readonly OptionalFeature[] = [
  {
    name: 'mentions',
    description: '@Signalman in channels and threads',
    scopes: ['app_mentions:read'],
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
    description: 'downloading exports, and the screenshots and the HTML of reported pages',
    scopes: ['files:write'],
  },
  {
    name: 'user-groups',
    description: 'roles for user groups',
    scopes: ['usergroups:read'],
  },
  {
    name: 'group-messages',
    description: 'sharing cards in group direct messages',
    scopes: ['mpim:read'],
  },
]

/** The features that don't fully work with these scopes. */
export const findIncompleteFeatures = (granted: ReadonlySet<string>): OptionalFeature[] =>
  OPTIONAL_FEATURES.filter(({ scopes }) => scopes.some((scope) => !granted.has(scope)))

export const OPTIONAL_SCOPES: readonly string[] = [
  ...new Set(OPTIONAL_FEATURES.flatMap(({ scopes }) => scopes)),
].toSorted()

/** Every scope that the app requests: required and optional. */
export const ALL_SCOPES: readonly string[] = [...REQUIRED_SCOPES, ...OPTIONAL_SCOPES].toSorted()
