const STATUSES = ['HEALTHY', 'HEALTHY', 'HEALTHY', 'UNHEALTHY', 'INSTALLING']
const PROTOCOLS = ['HTTPS', 'HTTP', 'TCP']

/** One health check as the service writes it. */
export type CheckRow = ReturnType<typeof checkRow>

/** So many health checks of an account, by name; 500 of them make a page of some 157 KB. */
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
    target: `shop-${index}.storefront.example.com`,
    port: 443,
    frequency: 60,
    created_at: '2026-03-01T08:30:00.000Z',
    created_by: 'somebody@example.com',
    modified_at: '2026-09-14T17:05:12.345Z',
    modified_by: 'somebody@example.com',
  }
}
