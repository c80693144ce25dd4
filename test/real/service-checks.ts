import { decodeAlerts } from '../../src/service/alerts.ts'
import type { Decode } from '../../src/service/decode.ts'
import { decodeCheck, decodePage } from '../../src/service/health-checks.ts'
import { ParseIssueCollector } from '../../src/service/parse-issues.ts'
import { decodeEvent } from '../../src/service/threat-event.ts'
import { decodeActiveTokens } from '../../src/service/tokens.ts'
import { type Checks, expectTrue, NotTried } from './findings.ts'
import { type Answer, type Service, toRow } from './service-client.ts'

const CHECKS = '/healthcheck/v1/healthchecks'
const TOKENS = '/auth/v1/tokens'
/** An ID that nothing has. */
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const FEW = 'the account has fewer than two health checks'

/** Fields that the app calls otherwise than the service, besides the case. */
const RENAMED: Readonly<Record<string, string>> = {
  data: 'token',
  autonomous_system_info: 'autonomousSystem',
  as_number: 'number',
  as_organization: 'organization',
}
/** The app doesn’t read the first two, and not every protocol has the others. */
const NOT_COMPARED = ['limit', 'offset', 'httpServerAddress', 'verifySsl']
const toName = (field: string): string =>
  RENAMED[field] ?? field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Collects the fields that only the service knows, and those of the app’s schema that it didn’t send. An object that was read has all. */
function compareFields(sent: unknown, read: unknown, at: string, differences: Set<string>): void {
  if (Array.isArray(sent) && Array.isArray(read)) {
    for (const [nth, item] of sent.entries()) compareFields(item, read[nth], at, differences)
    return
  }
  const value = toRow(read)
  if (Object.keys(value).length === 0) return
  const names = new Map(Object.entries(toRow(sent)).map(([field, part]) => [toName(field), { field, part }]))
  for (const [name, { field, part }] of names)
    if (name in value) compareFields(part, value[name], `${at}${field}.`, differences)
    else if (!NOT_COMPARED.includes(name)) differences.add(`unknown field ${at}${field}`)
  for (const [name, part] of Object.entries(value))
    if (part === undefined && !names.has(name) && !NOT_COMPARED.includes(name))
      differences.add(`no field ${at}${name}`)
}

/** Compares an answer with the app’s schema. Names fields, and no values. */
function compareAnswer({ status, text, body }: Answer, decode: Decode<unknown>): string | undefined {
  if (status !== 200) return `status ${status}`
  const rows = toRow(body.data).results ?? body.data
  if (Array.isArray(rows) && rows.length === 0) throw new NotTried('the list is empty')
  const issues = new ParseIssueCollector()
  const differences = new Set<string>()
  const bytes = Buffer.from(text)
  const read = decode({ bytes, mediaType: 'application/json', text: () => text }, issues)
  for (const path of issues.paths) differences.add(`another type: ${path.replaceAll(/\[\d+\]/g, '[]')}`)
  compareFields(body.data ?? body, read, '', differences)
  return [...differences].join(', ') || undefined
}

/** The checks of errors, each named by its status and its code. */
const errorChecks = (calls: Readonly<Record<string, () => Promise<Answer>>>): Checks =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      async () => {
        const { status, body } = await call()
        const [error] = Array.isArray(body.errors) ? body.errors.map(toRow) : []
        const came = `${status} ${error?.code ?? `with the fields ${Object.keys(body)}`}`
        return expectTrue(name.startsWith(`${came} `), came)
      },
    ]),
  )

/** What the app assumes about the service. Only reads. `eventId` is a threat event of the account. */
export function readChecks(service: Service, token: string, eventId?: string): Checks {
  const { get } = service
  const anyCheck = async (end = '') => get(`${CHECKS}/${(await service.findCheck()).uuid}${end}`)
  const listed = (name: string) => async () => {
    const { status, body } = await get(`/ssl/v2/${name}`)
    return expectTrue(Array.isArray(body.data), `status ${status}, without a list`)
  }
  return {
    'fields of the list': async () => compareAnswer(await get(CHECKS, { limit: 500 }), decodePage),
    'fields of a health check': async () => compareAnswer(await anyCheck(), decodeCheck),
    'fields of alerts': async () => compareAnswer(await anyCheck('/alerts'), decodeAlerts),
    'fields of tokens': async () =>
      compareAnswer(await get(TOKENS), (body, issues) => decodeActiveTokens(body, issues).tokens),
    'the token that asks is among the active tokens': async () =>
      expectTrue((await get(TOKENS)).text.includes(JSON.stringify(token)), 'it isn’t'),
    'fields of a threat event': async () => {
      if (!eventId) throw new NotTried('no threat event was named with --event')
      return compareAnswer(await get(`/cti/v2/events/${eventId}`), decodeEvent(eventId))
    },
    'products are listed for the order form': listed('products'),
    'organizations are listed for the order form': listed('organizations'),
    ...listChecks(service),
    ...errorChecks({
      '401 UNAUTHORIZED for a wrong token': () => get(CHECKS, {}, { as: 'no-token' }),
      '404 NOT_FOUND for an unknown check': () => get(`${CHECKS}/${UNKNOWN}`),
      '404 NOT_FOUND for the alerts of an unknown check': () => get(`${CHECKS}/${UNKNOWN}/alerts`),
      '404 NOT_FOUND for an unknown threat event': () => get(`/cti/v2/events/${UNKNOWN}`),
      '400 BAD_REQUEST for a wrong limit': () => get(CHECKS, { limit: 'many' }),
      '400 BAD_REQUEST for a wrong status': () => get(CHECKS, { status: 'BROKEN' }),
    }),
  }
}

/** Paging, order, and each filter of the list. */
function listChecks({ list, findCheck }: Service): Checks {
  /** Each value of a filter returns only checks that have it, and together they are all. */
  const partition = (field: string, values: readonly string[]) => async () => {
    const { total } = await list({ limit: 1 })
    if (total === 0) throw new NotTried('the account has no health check')
    const lists = await Promise.all(values.map((value) => list({ [field]: value, limit: 500 })))
    const others = lists.flatMap(({ rows }, nth) => rows.filter((row) => row[field] !== values[nth]))
    const sum = lists.reduce((counted, each) => counted + each.total, 0)
    return expectTrue(
      others.length === 0 && sum === total,
      `${sum} checks of ${total}, ${others.length} of another ${field}`,
    )
  }
  /** A filter finds the check whose value it was made of, and only those that fit. Ignores case. */
  const find =
    (
      field: string,
      toQuery: (value: string) => string,
      fits = (value: string, wanted: string) => value === wanted,
    ) =>
    async () => {
      const wanted = String((await findCheck())[field])
      const { rows } = await list({ [field]: toQuery(wanted), limit: 500 })
      const values = rows.map((row) => String(row[field]))
      const others = values.filter((value) => !fits(value.toLowerCase(), wanted.toLowerCase()))
      return expectTrue(
        values.includes(wanted) && others.length === 0,
        `${values.length} checks, ${others.length} of them don’t fit`,
      )
    }
  /** One row has any order. */
  const isSorted = (texts: readonly string[]): boolean => {
    if (texts.length < 2) throw new NotTried(FEW)
    return String(texts) === String(texts.toSorted())
  }

  return {
    'limit and offset page through one order': async () => {
      const [both, second] = [await list({ limit: 2 }), await list({ limit: 1, offset: 1 })]
      if (both.rows.length < 2) throw new NotTried(FEW)
      return expectTrue(second.rows[0]?.uuid === both.rows[1]?.uuid, 'the second page has another check')
    },
    'limit is 100 by default': async () => {
      const { limit } = await list()
      return expectTrue(limit === 100, String(limit))
    },
    'an offset behind the end has the same total, and no rows': async () => {
      const { total } = await list({ limit: 1 })
      const behind = await list({ limit: 1, offset: total + 10 })
      return expectTrue(behind.total === total && behind.rows.length === 0, `a total of ${behind.total}`)
    },
    'sort is by name by default, without regard to case': async () => {
      const [rows, sorted] = [(await list()).rows, (await list({ sort: 'name' })).rows]
      const isEqual = JSON.stringify(rows) === JSON.stringify(sorted)
      const isByName = isSorted(rows.map(({ name }) => String(name).toLowerCase()))
      return expectTrue(isEqual && isByName, isEqual ? 'another order' : 'another default')
    },
    'sort by uuid': async () =>
      expectTrue(
        isSorted((await list({ sort: 'uuid' })).rows.map(({ uuid }) => String(uuid))),
        'another order',
      ),
    'filter by status': partition('status', ['INSTALLING', 'HEALTHY', 'UNHEALTHY']),
    'filter by protocol': partition('protocol', ['TCP', 'HTTP', 'HTTPS']),
    'name finds whole names only': find('name', (name) => name),
    'name ignores case': find('name', (name) => name.toUpperCase()),
    'name with * at the end': find(
      'name',
      (name) => `${name.slice(0, 3)}*`,
      (value, wanted) => value.startsWith(wanted.slice(0, 3)),
    ),
    'name with * at both ends': find(
      'name',
      (name) => `*${name.slice(1, 4)}*`,
      (value, wanted) => value.includes(wanted.slice(1, 4)),
    ),
    'target finds whole targets only': find('target', (target) => target),
    'customer_id, with and without subsidiaries': async () => {
      const { customer_id } = await findCheck()
      const all = await list({ customer_id })
      const own = await list({ customer_id, include_subsidiaries: false, limit: 500 })
      const others = own.rows.filter((row) => String(row.customer_id) !== String(customer_id))
      return expectTrue(others.length === 0 && own.total <= all.total, `${others.length} checks of others`)
    },
  }
}
