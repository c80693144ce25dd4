export interface DnsRecord {
  country_code: string
  ip: string
  name: string
  type: string
  autonomous_system_info: { as_number: string; as_organization: string }
}

/** The fields that differ between the example events. All other fields are generated from these. */
export interface EventSeed {
  domain: string
  type: string
  level: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL'
  brand: string
  customerId: number
  daysAgo: number
  title: string
  description: string
  finalUrl?: string
  redirections?: readonly string[]
  comments: readonly string[]
  owner?: { name: string; email: string; organisation: string }
  registrar?: string
  statuses?: readonly string[]
  records?: readonly DnsRecord[]
}
