import { setTimeout as pause } from 'node:timers/promises'
import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Messaging } from '../../bot/routes/command-context.ts'
import type { HomeSection } from '../../bot/routes/routes.ts'
import { findIncompleteFeatures, type OptionalFeature } from '../../domain/optional-features.ts'
import { type HomeDeps, readEnvironments, readHome } from './read-home.ts'
import { connectionView, quickActions, setUpView, statusView } from './views.ts'

/** The sections of App Home that don't belong to another feature. */
export const homeSections = ({
  disabledFeatures,
  ...deps
}: HomeDeps & { disabledFeatures: ReadonlySet<string> }): HomeSection[] => [
  {
    group: 'set-up',
    async section(context) {
      const [environments, roles] = await Promise.all([readEnvironments(deps, context), context.roles()])
      return setUpView(environments, { isAdmin: roles.has('admin') })
    },
  },
  {
    group: 'now',
    async section(context) {
      const [state, roles] = await Promise.all([readHome(deps, context), context.roles()])
      return statusView(state, roles.has('admin') || roles.has('operator'))
    },
  },
  {
    group: 'can do',
    section: async (context) => quickActions(await readEnvironments(deps, context)),
  },
  {
    group: 'footer',
    async section(context) {
      // Only admins can change any of this.
      if (!(await context.roles()).has('admin')) return []
      const [environments, missingFeatures] = await Promise.all([
        readEnvironments(deps, context),
        readMissingFeatures(context, disabledFeatures),
      ])
      return [...connectionView(environments), ...missingFeaturesBlocks(missingFeatures)]
    },
  },
]

const SCOPES_TIMEOUT_MS = 1500

/** Features that are off because the app lacks a scope here. Empty if Slack fails or takes too long. */
async function readMissingFeatures(
  context: Pick<Messaging, 'slack'>,
  disabledFeatures: ReadonlySet<string>,
): Promise<OptionalFeature[]> {
  const grantedScopes = context
    .slack()
    .then((client) => client.grantedScopes())
    .catch(() => undefined)
  const scopes = await Promise.race([grantedScopes, pause(SCOPES_TIMEOUT_MS, undefined, { ref: false })])
  return scopes === undefined || scopes.size === 0 ? [] : findIncompleteFeatures(scopes, disabledFeatures)
}

function missingFeaturesBlocks(features: readonly OptionalFeature[]): KnownBlock[] {
  if (features.length === 0) return []
  const names = features.map(({ description, scopes }) => `${description} (${scopes.join(', ')})`)
  return [
    context(
      `Off here, because the app lacks a permission: ${names.join('; ')}. To grant it, reinstall the app.`,
    ),
  ]
}
