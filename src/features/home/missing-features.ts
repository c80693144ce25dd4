import { context } from '@signalman/slack'
import type { KnownBlock } from '@slack/types'
import type { Messaging } from '../../bot/routes/command-context.ts'
import { featuresWithout, type OptionalFeature } from '../../domain/optional-features.ts'

const PATIENCE_MS = 1500

/** Features that lack a scope of the workspace. Home waits for this only briefly, and never fails because of it. */
export async function readMissingFeatures(
  context: Pick<Messaging, 'slack'>,
  leftOut: ReadonlySet<string>,
): Promise<OptionalFeature[]> {
  const limit = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => limit.resolve(undefined), PATIENCE_MS)
  const granted = context
    .slack()
    .then((client) => client.grantedScopes())
    .catch(() => undefined)
  const scopes = await Promise.race([granted, limit.promise])
  clearTimeout(timer)
  return scopes === undefined || scopes.size === 0 ? [] : featuresWithout(scopes, leftOut)
}

export function missingFeaturesBlocks(missing: readonly OptionalFeature[]): KnownBlock[] {
  if (missing.length === 0) return []
  const names = missing.map(({ does, scopes }) => `${does} (${scopes.join(', ')})`)
  return [
    context(
      `Off here, because a permission was not granted: ${names.join('; ')}. Installing the app again asks for it.`,
    ),
  ]
}
