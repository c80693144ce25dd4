import type { WorkKind } from '@signalman/durable'
import type { Workspace } from '@signalman/slack'
import { addFeature, type Feature, type FeatureContext, type SlackChangeHandlers } from '../bot/feature.ts'
import type { Port } from '../bot/ports.ts'
import type { RouteTable } from '../bot/routes/routes.ts'
import { FEATURES } from './features.ts'
import type { Store } from './store.ts'

export type AppContext = Omit<FeatureContext, 'rows' | 'use'> & { readonly store: Store }

export interface StartedFeatures {
  readonly work: readonly WorkKind[]
  readonly slackChangeHandlers: Required<SlackChangeHandlers>
}

/** Starts the features in order, and adds what they declare to the routes. Throws if a port is missing or a name is declared twice. */
export function startFeatures(
  routes: RouteTable,
  appContext: AppContext,
  features: readonly Feature[] = FEATURES,
): StartedFeatures {
  // The store has the rows of all features.
  const createContext = (name: string): FeatureContext => ({
    ...appContext,
    rows: appContext.store,
    use: createUse(name),
  })
  const createUse = createPortResolver(features, createContext)
  const started = features.flatMap((feature) => {
    const parts = feature.start?.(createContext(feature.name))
    if (parts) addFeature(routes, parts)
    return parts ? [{ name: feature.name, ...parts }] : []
  })
  const changeHandlers = started.flatMap(({ slackChangeHandlers }) => slackChangeHandlers ?? [])
  return {
    work: started.flatMap(({ work = [] }) => work),
    slackChangeHandlers: {
      async onChannelShared(channel: Workspace) {
        for (const handlers of changeHandlers) await handlers.onChannelShared?.(channel)
      },
      async onPersonChanged(workspaceId, userId) {
        for (const handlers of changeHandlers) await handlers.onPersonChanged?.(workspaceId, userId)
      },
    },
  }
}

/** Resolves ports between features. Each port is created once, on first use. */
function createPortResolver(features: readonly Feature[], createContext: (name: string) => FeatureContext) {
  const providers = new Map(
    features.flatMap(({ name, provides = [] }) =>
      provides.map((provider) => [provider.port.name, { ...provider, name }] as const),
    ),
  )
  const ports = new Map<string, unknown>()
  return (featureName: string) =>
    <T>({ name }: Port<T>): T => {
      const provider = providers.get(name)
      if (!provider) throw new Error(`The feature ${featureName} uses “${name}”, which no feature provides.`)
      if (!ports.has(name)) ports.set(name, provider.create(createContext(provider.name)))
      // The provider declares the port's type, so its value has that type.
      return ports.get(name) as T
    }
}
