import { createShortCache } from '@signalman/runtime'
import type { CommandContext } from '../../bot/routes/command-context.ts'
import type { Named } from '../../service/orders.ts'

/** What can be chosen by name; a list that the service does not give, or that no menu can hold, is undefined. */
export interface Offered {
  products?: Named[] | undefined
  organizations?: Named[] | undefined
}

/** The products and organizations of this workspace. Never fails: without a list, people type an ID. */
export type FindOffered = (
  context: Pick<CommandContext, 'workspaceId' | 'environment' | 'api'>,
) => Promise<Offered>

const FRESH_MS = 60_000
const KEPT = 500
const PATIENCE_MS = 2500
/** What a menu of Slack's holds: entries, and characters of a value. */
const MOST_CHOICES = 100
const LONGEST_ID = 75

export function createFindOffered(now: () => Date): FindOffered {
  const kept = createShortCache<Named[]>({ freshMs: FRESH_MS, kept: KEPT, now })
  return async (context) => {
    const { catalog } = await context.api(context.environment, { shared: true })
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const key = `${context.workspaceId} ${context.environment}`
    const find = async (kind: 'products' | 'organizations') => {
      const named = await kept.get(`${kind} ${key}`, () => catalog[kind](signal)).catch(() => [])
      return fitsMenu(named) ? named : undefined
    }
    const [products, organizations] = await Promise.all([find('products'), find('organizations')])
    return { products, organizations }
  }
}

/** Whether a menu can hold them. */
export function fitsMenu(named: readonly Named[]): boolean {
  const ids = new Set(named.map(({ id }) => id))
  const isUsable = ids.size === named.length && named.every(({ id }) => id.length <= LONGEST_ID)
  return isUsable && named.length > 0 && named.length <= MOST_CHOICES
}

export const nameOfId = (named: readonly Named[] | undefined, id: string | undefined): string | undefined =>
  named?.find((one) => one.id === id)?.name

/** Every product that the service lists; undefined where it lists none. Never fails. */
export async function findProducts(
  context: Pick<CommandContext, 'workspaceId' | 'environment' | 'api'>,
): Promise<Named[] | undefined> {
  const read = async (): Promise<Named[]> => {
    const { catalog } = await context.api(context.environment, { shared: true })
    return catalog.products(AbortSignal.timeout(PATIENCE_MS))
  }
  const products = await read().catch(() => [])
  return products.length > 0 ? products : undefined
}
