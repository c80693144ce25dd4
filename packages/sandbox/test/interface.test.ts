import { expect, it } from 'vitest'
import { startSandbox } from '../src/start.ts'
import { CHECKS, checkBody, createClient, errorMessages } from './client.ts'

const words = (text: string): string[] => text.trim().split(/\s+/)

/** Every named part of the service's interface, and nothing that the interface doesn't name. */
const PARTS = {
  operations: [
    ...[`GET ${CHECKS}`, `POST ${CHECKS}`],
    ...['GET', 'PUT', 'DELETE'].map((method) => `${method} ${CHECKS}/{uuid}`),
    ...[`GET ${CHECKS}/{uuid}/alerts`, `POST ${CHECKS}/{uuid}/alerts`],
    ...['PUT', 'DELETE'].map((method) => `${method} ${CHECKS}/{uuid}/alerts/{id}`),
    ...['GET /auth/v1/tokens', 'POST /auth/v1/tokens', 'POST /ssl/v2/orders', 'GET /cti/v2/events/{id}'],
  ],
  parameters: words('limit offset sort name status protocol target customer_id include_subsidiaries'),
  'created check': words(`uuid name status customer_id protocol target port frequency
    created_at created_by modified_at modified_by`),
  'check in addition': words('http_server_address verify_ssl'),
  alert: words('id type recipients created_at created_by modified_at modified_by'),
  listing: words('total limit offset results'),
  token: words('data created_at'),
  'generated token': words('token account_id'),
  event: words(`id date type brand brand.id brand.name brand.monitored_since brand.grouping_key domain
    criticality criticality.level criticality.name comments comments.content comments.date customer_id
    observed_data observed_data.dns_records observed_data.dns_records.country_code observed_data.dns_records.ip
    observed_data.dns_records.name observed_data.dns_records.type
    observed_data.dns_records.autonomous_system_info
    observed_data.dns_records.autonomous_system_info.as_number
    observed_data.dns_records.autonomous_system_info.as_organization
    observed_data.whois observed_data.whois.owner_name observed_data.whois.owner_email
    observed_data.whois.owner_organisation observed_data.whois.registrar_name observed_data.whois.statuses
    observed_data.whois.creation_date observed_data.whois.updated_date observed_data.whois.expiration_date
    observed_data.whois.resource_url observed_data.website observed_data.website.page_title
    observed_data.website.page_description observed_data.website.origin_url observed_data.website.final_url
    observed_data.website.redirection_types observed_data.website.screenshot_resource_url
    observed_data.website.source_resource_url`),
  'check to send': words('name customer_id protocol target port frequency http_server_address verify_ssl'),
  'alert to send': words('type recipients'),
  'order to send': words(`action csr duration infos infos.validation_method infos.web_server customer_id
    billing_number order_reference product certificate organization contacts contacts.meta.contact_type`),
  codes: words('UNAUTHORIZED BAD_REQUEST NOT_FOUND BAD_CONTEXT INTERNAL_SERVER_ERROR'),
  statuses: words('INSTALLING HEALTHY UNHEALTHY'),
} as const
const { operations, parameters, codes, statuses, ...FIELDS } = PARTS
const COUNTS = [
  `${operations.length} operations, ${parameters.length} parameters, ${Object.values(FIELDS).flat().length} fields`,
  `${codes.length} codes, and ${statuses.length} statuses`,
].join(', ')

/** The paths of all fields in a value. Items of a list have the path of the list. */
function listPaths(value: unknown, prefix = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => listPaths(item, prefix)))]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [
    prefix + name,
    ...listPaths(inner, `${prefix}${name}.`),
  ])
}

const sorted = (names: readonly string[]) => [...new Set(names)].sort()

it(`plays all ${COUNTS} of the documented interface, and answers with no other fields`, async () => {
  await using sandbox = await startSandbox({ checking: false })
  const { productionUrl, token } = sandbox
  const call = createClient(productionUrl, token)
  const called = new Set<string>()
  const shown: Record<string, string[]> = {}
  /** Nobody without the whole token learns anything, or changes anything. */
  async function expectTokenNeeded(method: string, url: string): Promise<void> {
    for (const wrong of [null, 'other-token', `${token} x`]) {
      const answer = await call(method, url, undefined, { token: wrong })
      expect(answer.status).toBe(401)
      expect(answer.json()).toEqual({ errors: [{ code: 'UNAUTHORIZED', message: expect.any(String) }] })
    }
  }

  /** Calls an operation, and notes the fields of what it answers. */
  async function run<T = { data: { uuid: string; id: number } }>(
    operation: string,
    ids: Record<string, unknown> = {},
    { body, as, query = '' }: { body?: unknown; as?: string; query?: string } = {},
  ): Promise<T> {
    const [method = '', path = ''] = operation.split(' ')
    const url = path.replace(/\{(\w+)\}/g, (_, name) => String(ids[name])) + query
    await expectTokenNeeded(method, url)
    const answer = await call(method, url, body)
    expect(answer.status, answer.text).toBe(200)
    called.add(operation)
    const json = answer.json<{ message?: string; data?: unknown }>()
    if (as !== 'event') expect(json.message).toBe('OK')
    if (as) shown[as] = sorted(listPaths(as === 'event' ? json : json.data))
    else expect(Object.keys(json)).toEqual(['message'])
    return json as T
  }
  const alert = { type: 'EMAIL', recipients: ['a@example.com'] }
  const full = checkBody({
    ...{ protocol: 'HTTPS', port: 443, http_server_address: '192.0.2.1', verify_ssl: false },
  })
  expect(sorted(Object.keys(full))).toEqual(sorted(PARTS['check to send']))
  const { uuid } = (await run(`POST ${CHECKS}`, {}, { body: full, as: 'created check' })).data
  await run(`GET ${CHECKS}/{uuid}`, { uuid }, { as: 'check' })
  await run(`PUT ${CHECKS}/{uuid}`, { uuid }, { body: full, as: 'changed check' })
  const path = {
    uuid,
    id: (await run(`POST ${CHECKS}/{uuid}/alerts`, { uuid }, { body: alert, as: 'alert' })).data.id,
  }
  const listed = await run<{ data: { id: unknown }[] }>(`GET ${CHECKS}/{uuid}/alerts`, path, { as: 'alerts' })
  // Only the list has IDs as strings.
  expect(listed.data.map(({ id }) => id)).toEqual([String(path.id)])
  await run(`PUT ${CHECKS}/{uuid}/alerts/{id}`, path, { body: alert, as: 'changed alert' })
  await run(`DELETE ${CHECKS}/{uuid}/alerts/{id}`, path)
  const values: Record<string, string> = {
    ...{ limit: '500', offset: '0', sort: 'uuid', name: 'Sh*', status: 'INSTALLING', protocol: 'HTTPS' },
    ...{ target: '127*', customer_id: '1100', include_subsidiaries: 'false' },
  }
  expect(Object.keys(values)).toEqual(PARTS.parameters)
  type Listing = { data: { total: number; results: { uuid: string; status: string }[] } }
  const list = (query: string) => run<Listing>(`GET ${CHECKS}`, {}, { as: 'listing', query })
  const query = `?${new URLSearchParams(values)}`
  expect((await list(query)).data.results.map((check) => check.uuid)).toEqual([uuid])
  // Each filter leaves checks out that the others would keep.
  const all = (await list('?limit=1')).data.total
  for (const name of ['name', 'status', 'protocol', 'target', 'customer_id', 'include_subsidiaries'])
    expect((await list(`?${name}=${values[name]}`)).data.total, name).toBeLessThan(all)
  const { results } = (await list('?limit=500')).data
  expect(sorted(results.map(({ status }) => status))).toEqual(sorted(PARTS.statuses))
  await run(`DELETE ${CHECKS}/{uuid}`, { uuid })
  await run('GET /auth/v1/tokens', {}, { as: 'token' })
  await run('POST /auth/v1/tokens', {}, { as: 'generated token' })
  await run('GET /cti/v2/events/{id}', { id: '7e57ed00-0000-4000-8000-000000000001' }, { as: 'event' })
  const attributes = {
    ...{
      action: 'create',
      csr: CSR,
      duration: '1 year',
      customer_id: 1,
      billing_number: 'B',
      order_reference: 'R',
    },
    infos: { validation_method: 'VALIDATE_DNS', web_server: 'others' },
  }
  const related = (type: string) => ({ data: { type, id: '1' } })
  const relationships = {
    ...{ product: related('product'), certificate: { data: null }, organization: related('organization') },
    contacts: { data: [{ type: 'contact', id: '1', meta: { contact_type: 'admin' } }] },
  }
  expect(
    sorted([...listPaths(attributes), ...Object.keys(relationships), 'contacts.meta.contact_type']),
  ).toEqual(sorted(PARTS['order to send']))
  const order = { data: { type: 'order', attributes, relationships } }
  await expectTokenNeeded('POST', '/ssl/v2/orders')
  const placed = await call('POST', '/ssl/v2/orders', order)
  expect(placed.status, placed.text).toBeLessThan(300)
  called.add('POST /ssl/v2/orders')

  expect(sorted([...called])).toEqual(sorted(PARTS.operations))
  expect(shown['created check']).toEqual(sorted(PARTS['created check']))
  const everyField = sorted([...PARTS['created check'], ...PARTS['check in addition']])
  expect([shown.check, shown['changed check']]).toEqual([everyField, everyField])
  for (const kind of ['alert', 'alerts', 'changed alert'])
    expect(shown[kind], kind).toEqual(sorted(PARTS.alert))
  expect(shown.listing).toEqual(sorted([...PARTS.listing, ...everyField.map((field) => `results.${field}`)]))
  for (const kind of ['token', 'generated token', 'event'] as const)
    expect(shown[kind], kind).toEqual(sorted(PARTS[kind]))
  expect(sorted(PARTS['alert to send'])).toEqual(sorted(Object.keys(alert)))

  const codes = new Set<string>()
  const fail = async (status: number, request: ReturnType<typeof call>) => {
    const answer = await request
    expect([answer.status, errorMessages(answer).length > 0]).toEqual([status, true])
    const { errors } = answer.json<{ errors: { code: string }[] }>()
    for (const error of errors) expect(Object.keys(error)).toEqual(['code', 'message'])
    for (const { code } of errors) codes.add(code)
  }
  const others = ['/ssl/v2/products', '/ssl/v2/organizations', '/cti/v2/resources/x/source', '/unknown']
  for (const path of others) await expectTokenNeeded('GET', path)
  await fail(401, call('GET', CHECKS, undefined, { token: 'x' }))
  await fail(400, call('POST', CHECKS, {}))
  await fail(404, call('GET', `${CHECKS}/x`))
  await call('POST', CHECKS, checkBody())
  await fail(409, call('POST', CHECKS, checkBody()))
  await call('PUT', '/_sandbox/faults', [{ kind: 'status', status: 500 }])
  await fail(500, call('GET', CHECKS))
  expect(sorted([...codes])).toEqual(sorted(PARTS.codes))
})

const CSR = '-----BEGIN CERTIFICATE REQUEST-----\nMIIB\n-----END CERTIFICATE REQUEST-----\n'
