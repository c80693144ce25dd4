// The sample service's data, without any real name, address, or key (RFC 2606, RFC 5737).

export const SAMPLE_THREAT = '7e57ed00-0000-4000-8000-00000000000a'
export const SAMPLE_CERTIFICATE = 'C-4711'
export const SAMPLE_ADDRESS = 'ann@example.com'

export interface SampleCheck {
  uuid: string
  name: string
  status: string
}

const STATUSES = ['HEALTHY', 'HEALTHY', 'UNHEALTHY', 'INSTALLING']

/** Enough for two pages of a listing. */
export const SAMPLE_CHECKS: readonly SampleCheck[] = Array.from({ length: 20 }, (_, nth) => ({
  uuid: `5a3b1e00-0000-4000-8000-${String(nth).padStart(12, '0')}`,
  name: `web-${nth}`,
  status: STATUSES[nth % STATUSES.length] ?? '',
}))

/** A health check in the service's format. */
export const checkOnWire = ({ uuid, name, status }: SampleCheck, port: number) => ({
  uuid,
  name,
  status,
  customer_id: 1100,
  protocol: 'HTTP',
  // Diagnosing a check connects to the sample service.
  target: '127.0.0.1',
  port,
  frequency: 60,
  created_at: '2026-03-01T12:00:00.000Z',
  created_by: 'Ann Example',
  modified_at: '2026-03-02T12:00:00.000Z',
  modified_by: 'Bo Example',
  http_server_address: '127.0.0.1',
})

export const SAMPLE_ALERT = {
  id: 1,
  type: 'EMAIL',
  recipients: [SAMPLE_ADDRESS, 'bo@example.com'],
  created_at: '2026-03-01T12:00:00.000Z',
  created_by: 'Ann Example',
  modified_at: '2026-03-02T12:00:00.000Z',
  modified_by: 'Bo Example',
}

/** A threat event with a value in every field. Its pictures are on the sample service. */
export const threatOnWire = (origin: string) => ({
  id: SAMPLE_THREAT,
  date: '2026-11-18T14:00:00.000Z',
  type: 'DOMAIN_REPORTED',
  brand: {
    id: 301,
    name: 'Example Shops',
    monitored_since: '2021-03-01T00:00:00.000Z',
    grouping_key: 'shops',
  },
  domain: 'example-shops.example',
  criticality: { level: 'HIGH', name: 'High' },
  comments: [{ content: 'Seen twice & <again>.', date: '2026-11-19T08:00:00.000Z' }],
  customer_id: 1100,
  observed_data: {
    dns_records: ['A', 'MX'].map((type) => ({
      country_code: 'NL',
      ip: '192.0.2.1',
      name: 'example-shops.example',
      type,
      autonomous_system_info: { as_number: '64500', as_organization: 'Example Hosting' },
    })),
    whois: {
      owner_name: 'Somebody Else',
      owner_email: 'owner@example-shops.example',
      owner_organisation: 'Example Organisation',
      registrar_name: 'Example Registrar',
      statuses: ['clientHold'],
      creation_date: '2026-11-13T00:00:00Z',
      updated_date: '2026-11-14T00:00:00Z',
      expiration_date: '2027-11-13T00:00:00Z',
      resource_url: 'https://rdap.example/domain',
    },
    website: {
      page_title: 'Sign in',
      page_description: 'Sign in now',
      origin_url: 'http://example-shops.example/',
      final_url: 'https://example-shops.example/login',
      redirection_types: ['HTTP_301'],
      screenshot_resource_url: `${origin}/screenshot.png`,
      source_resource_url: `${origin}/source.html`,
    },
  },
})

/** The smallest possible picture, in one color. */
export const SAMPLE_PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A CSR for shop.example.com. Its private key was deleted. */
export const SAMPLE_CSR = `-----BEGIN CERTIFICATE REQUEST-----
MIIBBDCBqwIBADAbMRkwFwYDVQQDExBzaG9wLmV4YW1wbGUuY29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEbNx1fTwIRGHo4sobRERfiTIX0Xm/KaTlJw4qhZ5i
IABKBEneTu4cix00EEmLCjRHyGydRkZyiEHDeuVwUk67raAuMCwGCSqGSIb3DQEJ
DjEfMB0wGwYDVR0RBBQwEoIQc2hvcC5leGFtcGxlLmNvbTAKBggqhkjOPQQDAgNI
ADBFAiEAxm2Dsljd7urHrPwqOi48Kus46IzCjLbCTX/3z0fLovYCIDmuoJIGTHF7
6aJr4rvN46u83FODVu7n0/8caVMR1QtO
-----END CERTIFICATE REQUEST-----`
