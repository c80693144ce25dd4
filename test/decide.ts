import type { DecisionTransaction } from '@signalman/durable'
import type { Store } from '../src/app/store.ts'

/** Makes a change in a decision of its own, as a command does. */
export const decide = <T>(
  { audit }: Pick<Store, 'audit'>,
  workspaceId: string,
  work: (decisions: DecisionTransaction) => Promise<T>,
): Promise<T> =>
  audit.decide(workspaceId, async (decisions) => ({
    outcome: await work(decisions),
    auditEvent: {
      ...{ workspaceId, at: new Date(), actor: { userId: 'system' }, verb: 'prepare', object: '' },
      ...{ outcome: 'done', reference: 'test' },
    },
  }))

type Watching = Pick<Store, 'audit' | 'watching'>
type Cases = Pick<Store, 'audit' | 'threatCases'>

export const changeWatching = <T>(
  store: Watching,
  workspaceId: string,
  change: (stores: ReturnType<Watching['watching']['within']>) => Promise<T>,
): Promise<T> => decide(store, workspaceId, (decisions) => change(store.watching.within(decisions)))

export const changeCases = <T>(
  store: Cases,
  workspaceId: string,
  change: (cases: ReturnType<Cases['threatCases']['within']>) => Promise<T>,
): Promise<T> => decide(store, workspaceId, (decisions) => change(store.threatCases.within(decisions)))
