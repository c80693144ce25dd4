/** A customer and, if it's a subsidiary, its parent. */
export interface Customer {
  id: number
  name: string
  parent?: number
}

/** Both environments have the same customers. All tokens belong to the first customer. */
const CUSTOMERS: readonly Customer[] = [
  { id: 1000, name: 'Example Group' },
  { id: 1100, name: 'Example Shops', parent: 1000 },
  { id: 1110, name: 'Example Outlet', parent: 1100 },
  { id: 1200, name: 'Example Media', parent: 1000 },
  { id: 2000, name: 'Example Bank' },
]

export const ACCOUNT_CUSTOMER_ID = 1000

/** Returns the ID of a customer and the IDs of all its direct and indirect subsidiaries. An unknown ID is returned alone. */
export function withSubsidiaries(id: number): number[] {
  const subsidiaries = CUSTOMERS.filter(({ parent }) => parent === id)
  return [id, ...subsidiaries.flatMap((customer) => withSubsidiaries(customer.id))]
}
