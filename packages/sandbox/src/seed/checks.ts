import type { HealthCheckStore, NewHealthCheck, Protocol } from '../health-check-store.ts'

type SeedState = 'up' | 'down' | 'new'

type Seed = readonly [name: string, customer: number, target: string, state?: SeedState]

const TCP: readonly Seed[] = [
  ['Outlet database, primary', 1110, 'db-1.outlet.localhost'],
  ['Outlet database, replica', 1110, 'db-2.outlet.localhost'],
  ['Shop cache', 1100, 'cache.shop.localhost'],
  ['Shop message queue', 1100, 'queue.shop.localhost', 'down'],
  ['Shop search cluster', 1100, 'search.shop.localhost'],
  ['Group mail relay, inbound', 1000, 'mx-1.group.localhost'],
  ['Group mail relay, outbound', 1000, 'mx-2.group.localhost'],
  ['Group directory service', 1000, 'ldap.group.localhost'],
  ['Group VPN concentrator', 1000, '127.0.0.1', 'down'],
  ['Group time server (IPv6)', 1000, '::1', 'down'],
  ['Media ingest', 1200, 'ingest.media.localhost'],
  ['Media file transfer', 1200, 'sftp.media.localhost'],
  ['Media transcoder 3', 1200, 'transcoder-3.media.localhost', 'new'],
  ['Bank ledger database', 2000, 'ledger.bank.localhost'],
  ['Bank hardware security module', 2000, 'hsm.bank.localhost'],
  ['Bank batch host', 2000, 'batch.bank.localhost', 'new'],
]

const HTTP: readonly Seed[] = [
  ['Shop redirect to HTTPS', 1100, 'shop.example.com'],
  ['Shop legacy catalogue', 1100, 'http://catalogue-old.example.com/feed.xml', 'down'],
  ['Shop price feed', 1100, 'http://prices.example.com/v1/health'],
  ['Outlet landing page', 1110, 'outlet.example.com'],
  ['Outlet stock feed', 1110, 'stock.example.com'],
  ['Outlet returns portal', 1110, 'http://returns.example.com/status', 'new'],
  ['Group status page', 1000, 'status.example.com'],
  ['Group build mirror', 1000, 'http://mirror.example.net/ok.txt'],
  ['Group print service', 1000, 'print.example.net', 'down'],
  ['Group proxy <b>east</b> & "west"', 1000, 'proxy.example.net'],
  ['Media streaming edge 1', 1200, 'http://edge-1.example.org/healthz'],
  ['Media streaming edge 2', 1200, 'http://edge-2.example.org/healthz'],
  ['Media streaming edge 3', 1200, 'http://edge-3.example.org/healthz'],
  ['Media podcast feed', 1200, 'podcasts.example.org'],
  ['Bank branch finder', 2000, 'branches.example.org'],
  ['Bank rates feed', 2000, 'http://rates.example.org/daily.json', 'new'],
]

const HTTPS: readonly Seed[] = [
  ['Shop checkout', 1100, 'https://checkout.example.com/health'],
  ['Shop storefront', 1100, 'www.example.com'],
  ['Shop payments callback', 1100, 'https://pay.example.com/callback/health'],
  ['Shop 購物 storefront 🛒', 1100, 'shop-tw.example.com'],
  ['Outlet storefront', 1110, 'outlet-www.example.com'],
  ['Outlet vouchers', 1110, 'vouchers.example.com', 'down'],
  ['Group single sign-on', 1000, 'https://login.example.net/.well-known/health'],
  ['Group intranet', 1000, 'intranet.example.net'],
  ['Group wiki', 1000, 'wiki.example.net'],
  ['Group careers', 1000, 'careers.example.net'],
  ['Media newsroom', 1200, 'newsroom.example.org'],
  ['Media player API', 1200, 'https://player.example.org/api/v2/health'],
  ['Media image resizer', 1200, 'images.example.org', 'down'],
  ['Media subscriptions', 1200, 'subscribe.example.org', 'new'],
  ['Bank online banking', 2000, 'https://banking.example.org/alive'],
  ['Bank card controls', 2000, 'cards.example.org'],
  ['Bank open API', 2000, 'https://api.example.org/v3/health', 'new'],
  ['Group lab router', 1000, 'router.example.net'],
  ['Group storage console', 1000, 'storage.example.net', 'down'],
  ['Shop test environment', 1100, 'test.example.com'],
  ['Bank partner gateway', 2000, 'partner.example.org', 'down'],
]

const DAY_MS = 86_400_000

interface Definition {
  seed: Seed
  protocol: Protocol
}

const DEFINITIONS: readonly Definition[] = [
  ...TCP.map((seed): Definition => ({ seed, protocol: 'TCP' })),
  ...HTTP.map((seed): Definition => ({ seed, protocol: 'HTTP' })),
  ...HTTPS.map((seed): Definition => ({ seed, protocol: 'HTTPS' })),
]

const PORTS: Record<Protocol, number> = { TCP: 5432, HTTP: 80, HTTPS: 443 }
const STATUS = { up: 'HEALTHY', down: 'UNHEALTHY', new: 'INSTALLING' } as const

function createSeededCheck(
  { seed: [name, customer_id, target, state = 'up'], protocol }: Definition,
  uuid: string,
  index: number,
): NewHealthCheck {
  return {
    uuid,
    name,
    customer_id,
    protocol,
    target,
    port: PORTS[protocol],
    frequency: [30, 60, 120, 300][index % 4] ?? 60,
    http_server_address: protocol === 'TCP' ? null : '127.0.0.1',
    verify_ssl: protocol === 'HTTPS' ? true : null,
    status: STATUS[state],
    createdBy: ['web-team', 'network-team', 'platform-team'][index % 3] ?? 'web-team',
  }
}

/** Adds all example checks, or every fourth for OTE. Returns their uuids, which end in the check's number, starting at 1. */
export function seedChecks(
  checks: HealthCheckStore,
  environment: string,
  now: Date,
  healthy: boolean,
): string[] {
  const isOte = environment === 'ote'
  return DEFINITIONS.filter((_, index) => !isOte || index % 4 === 0).map((definition, index) => {
    const uuid = `5eed000${isOte ? 1 : 0}-0000-4000-8000-${String(index + 1).padStart(12, '0')}`
    const check = createSeededCheck(definition, uuid, index)
    const createdAt = new Date(now.getTime() - (90 - index) * DAY_MS)
    return checks.insert(healthy ? { ...check, status: 'HEALTHY' } : check, createdAt)
  })
}
