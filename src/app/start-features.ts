import type { WorkKind } from '@signalman/durable'
import type { ReadyChecks, Workspace } from '@signalman/slack'
import { addFeature, type Background, type Feature, type FeatureContext, type SlackChanges } from '../bot/feature.ts'
import type { Port } from '../bot/ports.ts'
import type { RouteTable } from '../bot/routes/routes.ts'
import { FEATURES } from './features.ts'
import type { Store } from './store.ts'

export type AppGround = Omit<FeatureContext, 'rows' | 'use'> & { readonly store: Store }

export interface StartedFeatures {
  readonly work: readonly WorkKind[]
  readonly onSlack: Required<SlackChanges>
  /** Starts the features' background activity. Disposing ends it. */
  startBackground(): RunningBackground
}

export interface RunningBackground extends Disposable {
  readonly ready: ReadyChecks
  readonly readings: NonNullable<Background['readings']>
}

/** Starts every feature in the order of the list, and adds what it declares to the routes. Throws when a name or a port is missing or taken. */
export function startFeatures(
  routes: RouteTable,
  given: AppGround,
  features: readonly Feature[] = FEATURES,
): StartedFeatures {
  // Each feature picks its own rows.
  const createGround = (name: string): FeatureContext => ({ ...given, rows: given.store, use: createUse(name) })
  const createUse = usePorts(features, createGround)
  const started = features.flatMap((one) => {
    const parts = one.start?.(createGround(one.name))
    if (parts) addFeature(routes, parts)
    return parts ? [{ name: one.name, ...parts }] : []
  })
  routes.refuseAmbiguousWords()
  const changes = started.flatMap(({ onSlack }) => onSlack ?? [])
  return {
    work: started.flatMap(({ work = [] }) => work),
    onSlack: {
      async reachable(workspaceId, of) {
        for (const one of changes) await one.reachable?.(workspaceId, of)
      },
      async channelShared(where: Workspace) {
        for (const one of changes) await one.channelShared?.(where)
      },
      async personChanged(workspaceId, userId) {
        for (const one of changes) await one.personChanged?.(workspaceId, userId)
      },
    },
    startBackground() {
      const running = started.flatMap(({ background }) => (background ? [background()] : []))
      return {
        ready: Object.assign({}, ...running.map(({ ready }) => ready)),
        readings: Object.assign(
          { overdueEnvironments: () => 0, pollLagSeconds: () => 0 },
          ...running.map((one) => one.readings),
        ),
        [Symbol.dispose]() {
          for (const one of running) one[Symbol.dispose]()
        },
      }
    },
  }
}

/** Resolves ports between features; each is created once, on first use. */
function usePorts(features: readonly Feature[], contextOf: (name: string) => FeatureContext) {
  const offered = new Map(
    features.flatMap(({ name, provides = [] }) =>
      provides.map((one) => [one.port.name, { ...one, name }] as const),
    ),
  )
  const made = new Map<string, unknown>()
  return (user: string) =>
    <T>({ name }: Port<T>): T => {
      const offer = offered.get(name)
      if (!offer) throw new Error(`The feature ${user} uses “${name}”, which no feature provides.`)
      if (!made.has(name)) made.set(name, offer.make(contextOf(offer.name)))
      // Created by the feature that provides this port, so it has its type.
      return made.get(name) as T
    }
}
