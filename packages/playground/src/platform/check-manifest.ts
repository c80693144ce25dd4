// This folder: Slack’s scopes, events, and rules for manifests as data.

import { EVENT_SCOPES } from './events.ts'
import { METHOD_SCOPES } from './methods.ts'

/** The parts of a manifest that the rules are about. */
interface CheckedManifest {
  oauth_config?:
    | {
        scopes?:
          | { bot?: readonly string[] | undefined; bot_optional?: readonly string[] | undefined }
          | undefined
      }
    | undefined
  settings?: { event_subscriptions?: { bot_events?: readonly string[] | undefined } | undefined } | undefined
}

const KNOWN_SCOPES = new Set([
  'commands',
  ...[EVENT_SCOPES, METHOD_SCOPES].flatMap((table) => Object.values(table).flat()),
])

/**
 * Says what Slack refuses in a manifest, although it matches Slack's published schema. Also names scopes and events that no rule here
 * knows, because Slack refuses those that don't exist.
 */
export function checkManifest({ oauth_config, settings }: CheckedManifest): string[] {
  const { bot = [], bot_optional = [] } = oauth_config?.scopes ?? {}
  const events = settings?.event_subscriptions?.bot_events ?? []
  return [
    ...bot
      .filter((scope) => !KNOWN_SCOPES.has(scope))
      .map((scope) => `The playground knows no method or event that needs the scope ${scope}.`),
    ...bot_optional
      .filter((scope) => !bot.includes(scope))
      .map((scope) => `${scope} is optional, but not in bot: an optional scope belongs in both lists.`),
    ...events.flatMap((event) => {
      const scopes = Object.hasOwn(EVENT_SCOPES, event) ? EVENT_SCOPES[event] : undefined
      if (!scopes) return [`The playground doesn’t know the event ${event}.`]
      if (scopes.length === 0 || scopes.some((scope) => bot.includes(scope))) return []
      return [`${event} needs the bot scope ${scopes.join(' or ')}: add it to oauth_config.scopes.bot.`]
    }),
  ]
}
