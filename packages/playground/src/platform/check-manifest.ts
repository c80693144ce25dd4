// This folder: Slack’s scopes, events, and rules for manifests as data.

import { BOT_SCOPES } from './bot-scopes.ts'
import { EVENT_SCOPES, USER_EVENTS } from './events.ts'

/** A reason why Slack rejects a manifest, or why something that it declares can't work. */
interface ManifestViolation {
  /** The rule's name, such as `event-without-scope`. */
  readonly rule: string
  /** The path in the manifest. */
  readonly path: readonly (string | number)[]
  /** A sentence that explains the problem and how to fix it. */
  readonly message: string
}

type Fields = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const toFields = (value: unknown): Fields => (isRecord(value) ? value : {})
const valueAt = (manifest: unknown, path: readonly (string | number)[]): unknown =>
  path.reduce<unknown>((value, key) => toFields(value)[key], manifest)
const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const SCOPES = ['oauth_config', 'scopes'] as const
const SETTINGS = ['settings'] as const
const EVENTS = ['settings', 'event_subscriptions', 'bot_events'] as const

/**
 * Lists every Slack rule that a manifest breaks. Empty if Slack accepts it. Ignores values of the wrong type; the caller checks the
 * types. The rules are those on which Slack's reference, its published schema, and responses of
 * `apps.manifest.validate` agree (November 2026).
 */
export function checkManifest(manifest: unknown): ManifestViolation[] {
  return [
    ...scopeViolations(manifest),
    ...eventViolations(manifest),
    ...addressViolations(manifest),
    ...FEATURES.flatMap(([key, title, max]) => featureViolations(manifest, key, title, max)),
    ...lengthViolations(manifest),
  ]
}

function scopeViolations(manifest: unknown): ManifestViolation[] {
  const scopes = toFields(valueAt(manifest, SCOPES))
  const requested = toTexts(scopes.bot)
  const optionalScopeViolations = (kind: 'bot' | 'user'): ManifestViolation[] => {
    const requestedScopes = toTexts(scopes[kind])
    return toTexts(scopes[`${kind}_optional`]).flatMap((scope, index) =>
      requestedScopes.includes(scope)
        ? []
        : [
            {
              rule: 'optional-scope-not-requested',
              path: [...SCOPES, `${kind}_optional`, index],
              message: `${scope} is optional, but ${kind} doesn’t request it: an optional scope belongs in both lists.`,
            },
          ],
    )
  }
  return [
    ...requested.flatMap((scope, index) =>
      BOT_SCOPES.has(scope)
        ? []
        : [
            {
              rule: 'unknown-scope',
              path: [...SCOPES, 'bot', index],
              message: `Slack has no bot scope “${scope}”.`,
            },
          ],
    ),
    ...optionalScopeViolations('bot'),
    ...optionalScopeViolations('user'),
  ]
}

function eventViolations(manifest: unknown): ManifestViolation[] {
  const granted = toTexts(valueAt(manifest, [...SCOPES, 'bot']))
  return toTexts(valueAt(manifest, EVENTS)).flatMap((event, index) => {
    const path = [...EVENTS, index]
    if (USER_EVENTS.has(event))
      return [
        {
          rule: 'user-event',
          path,
          message: `Slack sends ${event} to people’s own subscriptions (user_events), never to a bot’s.`,
        },
      ]
    const scopes = Object.hasOwn(EVENT_SCOPES, event) ? EVENT_SCOPES[event] : undefined
    if (!scopes) return [{ rule: 'unknown-event', path, message: `Slack has no bot event “${event}”.` }]
    if (scopes.length === 0 || scopes.some((scope) => granted.includes(scope))) return []
    return [
      {
        rule: 'event-without-scope',
        path,
        message: `${event} needs the bot scope ${scopes.join(' or ')}: add it to oauth_config.scopes.bot.`,
      },
    ]
  })
}

/** Slack's own error says "requires either Request URL or Socket Mode Enabled" (docs.slack.dev, apps.manifest.validate). */
function addressViolations(manifest: unknown): ManifestViolation[] {
  if (valueAt(manifest, [...SETTINGS, 'socket_mode_enabled']) === true) return []
  const requireAddress = (rule: string, path: readonly string[], subject: string): ManifestViolation[] =>
    typeof valueAt(manifest, [...path, 'request_url']) === 'string'
      ? []
      : [{ rule, path, message: `${subject} needs a request_url, or Socket Mode.` }]
  const isInteractive = valueAt(manifest, ['settings', 'interactivity', 'is_enabled']) === true
  return [
    ...(toList(valueAt(manifest, EVENTS)).length > 0
      ? requireAddress('events-without-address', ['settings', 'event_subscriptions'], 'An event subscription')
      : []),
    ...(isInteractive
      ? requireAddress('interactivity-without-address', ['settings', 'interactivity'], 'Interactivity')
      : []),
  ]
}

/** Features that need the scope `commands`, with their maximum number (docs.slack.dev/reference/app-manifest, November 2026). */
const FEATURES = [
  ['slash_commands', 'Slash commands', 50],
  ['shortcuts', 'Shortcuts', 10],
] as const

function featureViolations(manifest: unknown, key: string, title: string, max: number): ManifestViolation[] {
  const path = ['features', key]
  const count = toList(valueAt(manifest, path)).length
  const name = key.replaceAll('_', '-')
  const granted = toTexts(valueAt(manifest, [...SCOPES, 'bot']))
  return [
    ...(count > 0 && !granted.includes('commands')
      ? [
          {
            rule: `${name}-without-scope`,
            path,
            message: `${title} need the bot scope commands: add it to oauth_config.scopes.bot.`,
          },
        ]
      : []),
    ...(count > max
      ? [{ rule: `too-many-${name}`, path, message: `There are ${count}; Slack accepts at most ${max}.` }]
      : []),
  ]
}

/**
 * Minimum and maximum text lengths by path; `*` is any entry of a list. Slack has rejected a description of 140 characters, which
 * the reference allows (mastra-ai/mastra#16093, November 2026).
 */
const LENGTHS: readonly (readonly [path: string, min: number, max: number])[] = [
  ['display_information.name', 1, 35],
  ['display_information.description', 1, 139],
  ['display_information.long_description', 175, 4000],
  ['features.bot_user.display_name', 1, 80],
  ['features.slash_commands.*.command', 2, 32],
  ['features.slash_commands.*.description', 1, 2000],
  ['features.slash_commands.*.usage_hint', 1, 1000],
  ['features.shortcuts.*.name', 1, 24],
  ['features.shortcuts.*.description', 1, 150],
  ['features.shortcuts.*.callback_id', 1, 255],
]

type Match = readonly [path: readonly (string | number)[], value: unknown]

/** Finds every value that matches a path, with its exact path. */
function findMatches(manifest: unknown, path: string): Match[] {
  return path.split('.').reduce<Match[]>(
    (matches, key) =>
      matches.flatMap(([parentPath, value]): Match[] => {
        if (key === '*') return toList(value).map((item, index) => [[...parentPath, index], item])
        return [[[...parentPath, key], toFields(value)[key]]]
      }),
    [[[], manifest]],
  )
}

function lengthViolations(manifest: unknown): ManifestViolation[] {
  return LENGTHS.flatMap(([path, min, max]) =>
    findMatches(manifest, path).flatMap(([matchPath, value]) => {
      if (typeof value !== 'string') return []
      const count = [...value].length
      if (count < min)
        return [
          {
            rule: 'too-short',
            path: matchPath,
            message: `${count} characters; Slack needs at least ${min}.`,
          },
        ]
      return count > max
        ? [
            {
              rule: 'too-long',
              path: matchPath,
              message: `${count} characters; Slack accepts at most ${max}.`,
            },
          ]
        : []
    }),
  )
}
