import type { WorkKind } from '@signalman/durable'
import type { Workspace } from '@signalman/slack'
import { addFeature, type Feature, type FeatureContext, type SlackChangeHandlers } from '../bot/feature.ts'
import type { JobKind } from '../bot/jobs/job-kind.ts'
import type { Port } from '../bot/ports.ts'
import type { RouteTable } from '../bot/routes/routes.ts'
import { FEATURES } from './features.ts'
import type { Store } from './store.ts'

export type AppContext = Omit<FeatureContext, 'rows' | 'use'> & { readonly store: Store }

export interface StartedFeatures {
  readonly work: readonly WorkKind[]
  readonly jobs: readonly JobKind<unknown>[]
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
    jobs: started.flatMap(({ jobs = [] }) => jobs),
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
  const ports = new Map<Port<unknown>, unknown>()
  return (user: string) =>
    <T>(port: Port<T>): T => {
      if (!ports.has(port)) {
        const { name = '', provides = [] } = features.find(({ name }) => name === port.feature) ?? {}
        const provider = provides.find((each) => each.port === port)
        if (!provider) throw new Error(`${user} uses “${port.name}”, which ${port.feature} doesn’t provide.`)
        ports.set(port, provider.create(createContext(name)))
      }
      // The provider declares the port's type, so its value has that type.
      return ports.get(port) as T
    }
}
