const STATUSES = ['HEALTHY', 'HEALTHY', 'HEALTHY', 'UNHEALTHY', 'INSTALLING']
const PROTOCOLS = ['HTTPS', 'HTTP', 'TCP']

const FIRST_DAY = Date.UTC(2026, 2, 1)

/** A health check in the service's format. */
export type CheckRow = ReturnType<typeof checkRow>

/** The health checks of an account, sorted by name. A page of 500 has about 157 KB. */
export const checkRows = (count: number): CheckRow[] =>
  Array.from({ length: count }, (_, index) => checkRow(index))

function checkRow(index: number) {
  const number = String(index).padStart(12, '0')
  return {
    uuid: `3f2a9c1e-7b4d-4e8a-9c55-${number}`,
    name: `storefront ${index} eu-west`,
    status: STATUSES[index % STATUSES.length] ?? '',
    customer_id: 40_000 + index,
    protocol: PROTOCOLS[index % PROTOCOLS.length] ?? '',
    target: `shop-${index}.example.com`,
    port: 443,
    frequency: 60,
    created_at: new Date(FIRST_DAY + index * 7_654_321).toISOString(),
    created_by: 'somebody',
    modified_at: new Date(FIRST_DAY + index * 17_654_321).toISOString(),
    modified_by: 'somebody',
  }
}
