import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVENT_SCOPES, METHOD_SCOPES } from '@signalman/playground/platform'
import { describe, expect, it } from 'vitest'
import { REQUIRED_SCOPES } from '../../../src/domain/optional-features.ts'
import { createPrintedManifest } from '../../manifest.ts'

const ROOT = join(import.meta.dirname, '../../..')
const { oauth_config, settings, features } = createPrintedManifest()
const granted = new Set(oauth_config.scopes.bot)

/** Finds every Web API method that the app's code calls. */
function findCalledMethods(): string[] {
  const folders = ['packages/slack/src', 'src/bot', 'src/features', 'src/app']
  const text = folders
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
    )
    .join('\n')
  const clientCalls = [...text.matchAll(/\bclient\.((?:[a-z]\w*\.)+[a-z]\w*)\(/g)].map(
    ([, name = '']) => name,
  )
  const apiCalls = [...text.matchAll(/apiCall\(\s*'([\w.]+)'/g)].map(([, name = '']) => name)
  const authCalls = [...text.matchAll(/\bawait (auth\.[\w.]+)\b/g)].map(([, name = '']) => name)
  return [...new Set([...clientCalls, ...apiCalls, ...authCalls])].toSorted()
}

const CALLED_METHODS = findCalledMethods()

/** Called methods for which a bot token needs no scope, by their pages in Slack's reference. A new one has to be looked up. */
const METHODS_WITHOUT_SCOPES: readonly string[] = [
  // Takes an app-level token.
  'apps.connections.open',
  'auth.test',
  'chat.getPermalink',
  'views.open',
  'views.publish',
  'views.push',
  'views.update',
]

describe('a default installation', () => {
  it('calls only methods whose scopes are listed', () => {
    const known = [...Object.keys(METHOD_SCOPES), ...METHODS_WITHOUT_SCOPES]
    expect(CALLED_METHODS.filter((method) => !known.includes(method))).toEqual([])
    expect(METHODS_WITHOUT_SCOPES.filter((method) => !CALLED_METHODS.includes(method))).toEqual([])
  })

  it.each(CALLED_METHODS.filter((method) => !METHODS_WITHOUT_SCOPES.includes(method)))(
    'requests every scope that %s needs, for each kind of conversation',
    (method) => {
      const scopes = METHOD_SCOPES[method] ?? []
      expect(scopes.filter((scope) => !granted.has(scope))).toEqual([])
    },
  )

  it('requests a scope for each event that it subscribes to', () => {
    const uncovered = settings.event_subscriptions.bot_events.filter((event) => {
      const scopes = EVENT_SCOPES[event] ?? []
      return scopes.length > 0 && !scopes.some((scope) => granted.has(scope))
    })
    expect(uncovered).toEqual([])
  })

  it('requests no unused scopes', () => {
    const used = new Set([
      ...CALLED_METHODS.flatMap((method) => METHOD_SCOPES[method] ?? []),
      ...settings.event_subscriptions.bot_events.flatMap((event) => EVENT_SCOPES[event] ?? []),
      ...(features.slash_commands.length > 0 ? ['commands'] : []),
    ])
    expect([...granted].filter((scope) => !used.has(scope))).toEqual([])
  })

  it('works with just the six required scopes', () => {
    expect([...granted].filter((scope) => !oauth_config.scopes.bot_optional?.includes(scope))).toEqual([
      ...REQUIRED_SCOPES,
    ])
    const coveredEvents = settings.event_subscriptions.bot_events.filter((event) =>
      REQUIRED_SCOPES.some((scope) => EVENT_SCOPES[event]?.includes(scope)),
    )
    expect(coveredEvents).toContain('user_change')
  })
})
