import type { ServiceAccess } from '../../bot/routes/command-context.ts'
import type { CatalogItem } from '../../service/orders.ts'

/** The lists that people choose from in the form. A list is undefined if the service doesn't return it or it doesn't fit in a menu. */
export interface CatalogChoices {
  products?: CatalogItem[] | undefined
  organizations?: CatalogItem[] | undefined
}

const TIMEOUT_MS = 2500
/** Slack's limit for the options of a menu. */
const MAX_CHOICES = 100
/** Slack's limit for an option's value. */
const MAX_ID_LENGTH = 75

/**
 * Finds the products and organizations that this workspace can order for. Leaves out a list that can't be read, so people type an
 * ID instead. Throws UserError if there is no token.
 */
export async function findChoices(context: ServiceAccess): Promise<CatalogChoices> {
  const { orders } = await context.api()
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const findList = async (kind: 'products' | 'organizations') => {
    const items = await orders.listItems(kind, signal).catch(() => [])
    return fitsInMenu(items) ? items : undefined
  }
  const [products, organizations] = await Promise.all([findList('products'), findList('organizations')])
  return { products, organizations }
}

function fitsInMenu(items: readonly CatalogItem[]): boolean {
  const ids = new Set(items.map(({ id }) => id))
  const isUsable = ids.size === items.length && items.every(({ id }) => id.length <= MAX_ID_LENGTH)
  return isUsable && items.length > 0 && items.length <= MAX_CHOICES
}

export const findCatalogName = (
  items: readonly CatalogItem[] | undefined,
  id: string | undefined,
): string | undefined => items?.find((choice) => choice.id === id)?.name
