/** A customer and, if it's a subsidiary, its parent. */
export interface Customer {
  id: number
  name: string
  parent?: number
}

/** The same few customers in both environments. All tokens belong to the first one. */
const CUSTOMERS: readonly Customer[] = [
  { id: 1000, name: 'Example Group' },
  { id: 1100, name: 'Example Shops', parent: 1000 },
  { id: 1110, name: 'Example Outlet', parent: 1100 },
  { id: 1200, name: 'Example Media', parent: 1000 },
  { id: 2000, name: 'Example Bank' },
]

export const ACCOUNT_CUSTOMER_ID = 1000

/** A customer and all customers below it. A customer outside the table has no subsidiaries. */
export function withSubsidiaries(id: number): number[] {
  const subsidiaries = CUSTOMERS.filter(({ parent }) => parent === id)
  return [id, ...subsidiaries.flatMap((customer) => withSubsidiaries(customer.id))]
}
