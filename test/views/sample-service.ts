import { startVendor } from '../service/vendor.ts'
import {
  checkOnWire,
  SAMPLE_ALERT,
  SAMPLE_CERTIFICATE,
  SAMPLE_CHECKS,
  SAMPLE_PICTURE,
  type SampleCheck,
  threatOnWire,
} from './sample-data.ts'
import { asFields } from './shown-views.ts'

interface ServiceReply {
  status: number
  type?: string
  body: unknown
}

export type SampleService = Awaited<ReturnType<typeof startSampleService>>

/** Starts a service that answers from sample data. */
export async function startSampleService() {
  /** The statuses that changed since the start, by name. */
  const changed = new Map<string, string>()
  let ordered = 0
  let listings = 0
  const currentStatus = (check: SampleCheck): SampleCheck => ({
    ...check,
    status: changed.get(check.name) ?? check.status,
  })
  const onWire = (check: SampleCheck) => checkOnWire(currentStatus(check))

  function replyWithListing(query: URLSearchParams): ServiceReply {
    const name = query.get('name')?.replace(/\*$/, '') ?? ''
    const status = query.get('status')
    listings += 1
    const found = SAMPLE_CHECKS.map(currentStatus)
      .filter((check) => check.name.startsWith(name))
      .filter((check) => status === null || check.status === status)
    const offset = Number(query.get('offset') ?? 0)
    const limit = Number(query.get('limit') ?? 100)
    const results = found.slice(offset, offset + limit).map(onWire)
    return ok({ total: found.length, limit, offset, results })
  }

  /** Answers with a sample. A change has the values that were sent. */
  function replyForCheck(uuid: string, rest: string | undefined, sent: object): ServiceReply {
    const check = SAMPLE_CHECKS.find((sample) => sample.uuid === uuid) ?? SAMPLE_CHECKS[0]
    if (rest === undefined) return ok(check && { ...onWire(check), ...sent })
    return ok(rest === 'alerts' ? [SAMPLE_ALERT] : { ...SAMPLE_ALERT, ...sent })
  }

  function replyForChecks(method: string, { pathname, searchParams }: URL, sent: object): ServiceReply {
    const [, , , , id, ...rest] = pathname.split('/')
    if (id !== undefined)
      return replyForCheck(id, method === 'GET' ? rest[0] : rest.join('/') || undefined, sent)
    return method === 'GET' ? replyWithListing(searchParams) : replyForCheck('', undefined, sent)
  }

  /** Fails the second order with a 503, so the app can't know its outcome. */
  function replyToOrder(): ServiceReply {
    ordered += 1
    return ordered === 2 ? { status: 503, body: {} } : { status: 200, body: PLACED }
  }

  function answer(method: string, url: URL, body: string): ServiceReply {
    if (method === 'DELETE') return ok(undefined)
    const [, root = ''] = url.pathname.split('/')
    if (root === 'healthcheck') return replyForChecks(method, url, asFields(body))
    if (url.pathname.endsWith('/orders')) return replyToOrder()
    return (ANSWERS[root] ?? replyWithSource)(method, url)
  }

  const vendor = await startVendor((response, { method, url, body: sent }) => {
    const { status, type = 'application/json', body } = answer(method, new URL(url, vendor.url), sent)
    response
      .writeHead(status, { 'content-type': type })
      .end(Buffer.isBuffer(body) ? body : JSON.stringify(body))
  })
  return {
    ...vendor,
    /** Makes these checks unhealthy, in addition to those that already are. */
    bringDown: (names: readonly string[]) => {
      for (const name of names) changed.set(name, 'UNHEALTHY')
    },
    bringUp: ({ except }: { except: readonly string[] }) => {
      for (const { name } of SAMPLE_CHECKS) if (!except.includes(name)) changed.set(name, 'HEALTHY')
    },
    /** How many times the app has listed the checks. */
    listings: () => listings,
  }
}

type Answer = (method: string, url: URL) => ServiceReply

const replyWithSource: Answer = () => ({
  status: 200,
  type: 'text/html',
  body: Buffer.from('<title>Sign in</title>'),
})

const ANSWERS: Readonly<Record<string, Answer>> = {
  auth: (method) =>
    ok([
      method === 'GET'
        ? { data: 'sample-token-of-nobody', created_at: '2026-03-01 12:00:00' }
        : { token: 'sample-token-of-nobody', account_id: '1100' },
    ]),
  cti: (_, { origin }) => ({ status: 200, body: threatOnWire(origin) }),
  ssl: () => ({ status: 200, body: PRODUCTS }),
  'screenshot.png': () => ({ status: 200, type: 'image/png', body: SAMPLE_PICTURE }),
}

const PRODUCTS = { data: [{ id: '101', attributes: { name: 'One name' } }] }

const ok = (data: unknown): ServiceReply => ({ status: 200, body: { message: 'OK', data } })

const PLACED = {
  data: {
    id: '9001',
    attributes: { status: 'pending' },
    relationships: { certificate: { data: { type: 'certificate', id: SAMPLE_CERTIFICATE } } },
  },
}
