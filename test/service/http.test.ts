import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createService } from '../../src/service/service.ts'
import {
  BODY,
  catchFailure,
  createClient,
  errorObject,
  PRODUCTION,
  page,
  type Respond,
  reply,
  startVendor,
  TOKEN,
} from './vendor.ts'

const CHECK = { uuid: 'u-1', name: 'shop' }
const ORDER = { action: 'create', csr: 'PEM', duration: '1 year' }

const dropConnection: Respond = (response) => void response.destroy()
const hang: Respond = () => undefined
const answerWith =
  (status: number): Respond =>
  (response) =>
    reply(response, errorObject('OTHER'), status)

describe('requests', () => {
  it('include the token, don’t request compression, and keep the base URL’s path', async () => {
    await using vendor = await startVendor((response) => reply(response, page([])))
    await using service = createClient(`${vendor.url}/gate/way/`)
    const api = service.with({ environment: 'ote', token: TOKEN })
    await api.healthChecks.list({ name: 'a&b*', includeSubsidiaries: false, customerId: 7 })
    expect(vendor.seen[0]).toMatchObject({
      url: '/gate/way/healthcheck/v1/healthchecks?name=a%26b*&customer_id=7&include_subsidiaries=false',
      headers: { authorization: `Bearer ${TOKEN}`, 'accept-encoding': 'identity' },
    })
  })

  it('contain only the fields that the caller sets', async () => {
    await using vendor = await startVendor((response) => reply(response, { data: CHECK }))
    const { healthChecks } = vendor.api()
    await healthChecks.create(BODY)
    await healthChecks.update('u-1', { ...BODY, httpServerAddress: '192.0.2.1', verifySsl: false })
    const { customerId: customer_id, ...rest } = BODY
    expect(vendor.seen.map(({ body }) => JSON.parse(body))).toEqual([
      { ...rest, customer_id },
      { ...rest, customer_id, http_server_address: '192.0.2.1', verify_ssl: false },
    ])
    expect(vendor.seen[0]?.headers['content-type']).toBe('application/json')
  })

  it.each(['', 'two words', 'line\nbreak', 'ümlaut'])('are never sent with the token %j', async (token) => {
    await using vendor = await startVendor((response) => reply(response, page([])))
    await using service = createClient(vendor.url)
    const error = await catchFailure(service.with({ environment: 'production', token }).tokens.list())
    expect(error).toMatchObject({ kind: 'unauthorized', mayHaveHappened: false })
    expect(vendor.seen).toHaveLength(0)
  })

  it.each(['example.com', 'ftp://example.com', 'https://u:p@example.com', 'https://example.com/?a=1', ''])(
    'reject the base URL %j',
    (url) => {
      const baseUrls = { production: 'https://api.example.com', ote: url }
      expect(() => createService({ baseUrls })).toThrow(/base URL for ote/)
    },
  )
})

describe('a temporary fault', () => {
  it.each([
    ...[429, 502, 503, 504].map((status) => ({ fault: `status ${status}`, respond: answerWith(status) })),
    { fault: 'a lost connection', respond: dropConnection },
    { fault: 'silence', respond: hang },
  ])('is handled by retrying a read, an update, or a deletion: $fault', async ({ respond }) => {
    await using vendor = await startVendor((response, request, index) =>
      vendor.seen.filter(({ method }) => method === request.method).length === 1
        ? respond(response, request, index)
        : reply(response, { message: 'OK', data: CHECK }),
    )
    const timeouts = respond === hang ? { headersMs: 100 } : {}
    const { healthChecks } = vendor.api({ timeouts })
    expect((await healthChecks.get('u-1')).name).toBe('shop')
    expect((await healthChecks.update('u-1', BODY)).name).toBe('shop')
    await healthChecks.delete('u-1')
    // On a busy machine, a response may take as long as silence may last.
    const tried = respond === hang ? /^GG+PP+DD+$/ : /^GGPPDD$/
    expect(vendor.seen.map(({ method }) => method.slice(0, 1)).join('')).toMatch(tried)
  })

  it('is retried after a lost connection, until the last attempt', async () => {
    await using vendor = await startVendor(dropConnection)
    const api = vendor.api({ retry: { attempts: 4, baseMs: 1, maxMs: 1 } })
    expect(await catchFailure(api.threats.get('x'))).toMatchObject({
      kind: 'unavailable',
      mayHaveHappened: false,
    })
    expect(vendor.seen).toHaveLength(4)
    expect(await catchFailure(api.healthChecks.update('x', BODY))).toMatchObject({ mayHaveHappened: true })
    expect(vendor.seen).toHaveLength(8)
  })

  it('isn’t retried if Retry-After exceeds the time limit', async () => {
    await using vendor = await startVendor((response) => reply(response, {}, 429, { 'retry-after': '3600' }))
    const error = await catchFailure(vendor.api().tokens.list())
    expect(error).toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 3600, status: 429 })
    expect(vendor.seen).toHaveLength(1)
  })

  it('leaves open whether something was deleted if the response was lost and the retry returns 404', async () => {
    await using vendor = await startVendor((response, request, index) =>
      index === 0
        ? dropConnection(response, request, index)
        : reply(response, { errors: [{ code: 'NOT_FOUND' }] }, 404),
    )
    const error = await catchFailure(vendor.api().healthChecks.delete('x'))
    expect(error).toMatchObject({ kind: 'not-found', mayHaveHappened: true })
    expect(vendor.seen).toHaveLength(2)
  })

  it('makes a DELETE fail if its first attempt was rejected and its retry returns 404', async () => {
    await using vendor = await startVendor((response, _, index) =>
      reply(response, errorObject('NOT_FOUND'), index === 0 ? 429 : 404),
    )
    const error = await catchFailure(vendor.api().healthChecks.delete('x'))
    expect(error).toMatchObject({ kind: 'not-found', mayHaveHappened: false })
  })
})

describe('an error of the service', () => {
  it.each([
    { status: 400, kind: 'rejected', mayHaveHappened: false },
    { status: 401, kind: 'unauthorized', mayHaveHappened: false },
    { status: 403, kind: 'forbidden', mayHaveHappened: false },
    { status: 404, kind: 'not-found', mayHaveHappened: false },
    { status: 408, kind: 'timeout', mayHaveHappened: true },
    { status: 409, kind: 'conflict', mayHaveHappened: false },
    { status: 410, kind: 'not-found', mayHaveHappened: false },
    { status: 422, kind: 'rejected', mayHaveHappened: false },
    { status: 429, kind: 'rate-limited', mayHaveHappened: false },
    { status: 460, kind: 'timeout', mayHaveHappened: true },
    { status: 499, kind: 'timeout', mayHaveHappened: true },
    { status: 500, kind: 'unavailable', mayHaveHappened: true },
    { status: 503, kind: 'unavailable', mayHaveHappened: true },
    { status: 504, kind: 'unavailable', mayHaveHappened: true },
  ])(
    'is $kind for $status, ends an order at once, and says whether it may have been placed',
    async (expected) => {
      const { status } = expected
      await using vendor = await startVendor(answerWith(status))
      const api = vendor.api()
      const said = { ...expected, obstacle: undefined }
      expect(await catchFailure(api.orders.create(ORDER))).toMatchObject(said)
      expect(vendor.seen).toHaveLength(1)
      expect(await catchFailure(api.tokens.list())).toMatchObject({ ...expected, mayHaveHappened: false })
      expect(vendor.seen).toHaveLength([429, 503, 504].includes(status) ? 4 : 2)
    },
  )

  it.each<[from: string, body: string]>([
    ['nginx', '<html><head><title>404 Not Found</title></head></html>'],
    ['a load balancer', ''],
    ['Envoy', 'no healthy upstream'],
    ['Kong', '{"message":"no Route matched with those values"}'],
    ['Spring', '{"timestamp":"2026-11-29T00:00:00Z","status":404,"error":"Not Found","path":"/"}'],
    ['a validator', '{"errors":{"code":"NOT_FOUND"}}'],
  ])('means nothing about the service if %s sent it, whatever its status', async (_, body) => {
    let status = 0
    await using vendor = await startVendor((response) => void response.writeHead(status).end(body))
    const { healthChecks, orders } = vendor.api()
    for (status of [401, 402, 403, 404, 405, 407, 409, 410, 413, 421, 422, 431, 451]) {
      const unavailable = { kind: 'unavailable', status, serviceMessages: [], isAnswered: false }
      const obstacle = expect.stringContaining(`status ${status}.`)
      const read = await catchFailure(healthChecks.list())
      expect(read).toMatchObject({ ...unavailable, obstacle, mayHaveHappened: false })
      for (const write of [healthChecks.delete('u'), orders.create(ORDER)])
        expect(await catchFailure(write)).toMatchObject({ ...unavailable, obstacle, mayHaveHappened: true })
    }
  })

  it.each([
    {
      title: 'a 400 in JSON',
      status: 400,
      body: '{"name":["is too long"]}',
      kind: 'rejected',
      isAnswered: true,
    },
    { title: 'a 429 in HTML', status: 429, body: '<html>', kind: 'rate-limited', isAnswered: true },
    { title: 'a 408 in HTML', status: 408, body: '<html>', kind: 'timeout', isAnswered: false },
  ])('is $kind if it’s $title', async ({ status, body, kind, isAnswered }) => {
    await using vendor = await startVendor((response) => void response.writeHead(status).end(body))
    const error = await catchFailure(vendor.api().healthChecks.create(BODY))
    expect(error).toMatchObject({ kind, isAnswered })
  })

  it.each([
    { code: 'NOT_FOUND', kind: 'not-found' },
    { code: 'BAD_CONTEXT', kind: 'conflict' },
    { code: 'UNAUTHORIZED', kind: 'unauthorized' },
    { code: 'BAD_REQUEST', kind: 'rejected' },
    { code: 'constructor', kind: 'rejected' },
  ])('is recognized by the code $code in a response with status 400', async ({ code, kind }) => {
    await using vendor = await startVendor((response) =>
      reply(response, { errors: [{ code, message: 'A message.' }] }, 400),
    )
    const error = await catchFailure(vendor.api().healthChecks.get('u'))
    expect(error).toMatchObject({ kind, serviceMessages: ['A message.'] })
  })
})

describe('the connections of the client', () => {
  it('have not sent an order that times out while it waits for one', async () => {
    await using vendor = await startVendor(hang)
    const { orders } = vendor.api({ connections: 1, timeouts: { totalMs: 1500 } })
    const createOrder = (duration: string) => orders.create({ ...ORDER, duration })
    const durations = Array.from({ length: 10 }, (_, nth) => `${nth + 1} years`)
    const failures = await Promise.all(durations.map((duration) => catchFailure(createOrder(duration))))
    expect(failures[0]).toMatchObject({ kind: 'timeout', mayHaveHappened: true })
    // On a busy machine, the second order may still get the connection.
    const unsent = durations.filter((_, nth) => failures[nth]?.mayHaveHappened === false)
    expect(unsent).not.toEqual([])
    for (const { body } of vendor.seen) expect(unsent).not.toContain(JSON.parse(body).duration)
  })

  it('are others for polls than for people', async () => {
    await using vendor = await startVendor(hang)
    await using service = createClient(vendor.url, { connections: 2, timeouts: { totalMs: 120_000 } })
    const stop = new AbortController()
    const polls = Array.from({ length: 150 }, (_, nth) =>
      catchFailure(
        service
          .with({ ...PRODUCTION, caller: `T${nth}`, isPoll: true })
          .healthChecks.list({ limit: 1 }, stop.signal),
      ),
    )
    await expect.poll(() => vendor.seen.length).toBe(150)
    const person = catchFailure(service.with(PRODUCTION).healthChecks.list({ limit: 2 }, stop.signal))
    await expect.poll(() => vendor.seen.length).toBe(151)
    stop.abort()
    await Promise.all([...polls, person])
  })

  it('are used by the polls of a caller up to a quarter of its share', async () => {
    await using vendor = await startVendor(hang)
    await using service = createClient(vendor.url, { connectionsPerCaller: () => 8 })
    const stop = new AbortController()
    const { healthChecks } = service.with({ ...PRODUCTION, isPoll: true })
    const polls = Array.from({ length: 8 }, () => catchFailure(healthChecks.list({ limit: 1 }, stop.signal)))
    await expect.poll(() => vendor.seen.length).toBeGreaterThanOrEqual(2)
    stop.abort()
    await Promise.all(polls)
    expect(vendor.seen).toHaveLength(2)
  })

  it('are left by each caller to others, and to writes', async () => {
    await using vendor = await startVendor(hang)
    await using service = createClient(vendor.url, { timeouts: { totalMs: 120_000 } })
    const stop = new AbortController()
    const read = (caller: string) =>
      Array.from({ length: 30 }, (_, nth) =>
        catchFailure(
          service
            .with({ ...PRODUCTION, caller })
            .healthChecks.list({ name: caller, limit: nth + 1 }, stop.signal),
        ),
      )
    const count = (caller: string) => vendor.seen.filter(({ url }) => url.includes(caller)).length
    const first = read('first')
    await expect.poll(() => count('first')).toBe(24)
    const others = ['second', 'third', 'fourth'].flatMap(read)
    await expect.poll(() => vendor.seen.length).toBe(96)
    expect(count('first')).toBe(24)
    const order = catchFailure(service.with({ ...PRODUCTION, caller: 'fifth' }).orders.create(ORDER))
    await expect.poll(() => vendor.seen.length).toBe(97)
    expect(vendor.seen.at(-1)?.method).toBe('POST')
    stop.abort()
    await service[Symbol.asyncDispose]()
    await Promise.all([...first, ...others, order])
  })
})

describe('a response that is too slow, too large, or malformed', () => {
  it.each([
    {
      variant: 'states its length',
      respond: ((response) =>
        void response.writeHead(200, { 'content-length': 5_000 }).write('{')) as Respond,
    },
    {
      variant: 'doesn’t state its length',
      respond: ((response) => void response.writeHead(200).end('x'.repeat(5_000))) as Respond,
    },
    {
      variant: 'is an error',
      respond: ((response) => void response.writeHead(400).end('x'.repeat(5_000))) as Respond,
    },
  ])('is unreadable if it’s too large and $variant', async ({ respond }) => {
    await using vendor = await startVendor(respond)
    const error = await catchFailure(vendor.api({ maxBytes: 1_000 }).tokens.list())
    expect(error).toMatchObject({ kind: 'unreadable', message: expect.stringContaining('1000 bytes') })
    expect(vendor.seen).toHaveLength(1)
  })

  it('can be large if it’s text', async () => {
    const event = {
      domain: 'a.example',
      observed_data: { whois: { owner_name: 'x, '.repeat(1_000) + 'x'.repeat(1_500_000) } },
    }
    await using vendor = await startVendor((response) => reply(response, event))
    const { observedData } = await vendor.api().threats.get('x')
    expect(observedData?.whois?.ownerName).toHaveLength(1_503_000)
  })

  it('says so if the server at an https address doesn’t answer with TLS', async () => {
    await using vendor = await startVendor((response) => reply(response, page([])))
    await using service = createClient(vendor.url.replace('http:', 'https:'), { retry: { attempts: 1 } })
    const { healthChecks } = service.with(PRODUCTION)
    expect(await catchFailure(healthChecks.list())).toMatchObject({
      ...{ kind: 'unavailable', status: undefined },
      obstacle: expect.stringMatching(/^The service doesn’t speak TLS at that port/),
    })
  })

  it('is unreadable if it’s a redirect', async () => {
    await using other = await startVendor((response) => reply(response, page([CHECK])))
    await using vendor = await startVendor((response) =>
      reply(response, {}, 308, { location: `${other.url}/caught?t=1` }),
    )
    const error = await catchFailure(vendor.api().healthChecks.create(BODY))
    expect(error).toMatchObject({ kind: 'unreadable', status: 308, mayHaveHappened: true })
    expect(error.obstacle).toContain(`redirects to ${other.url},`)
    expect(other.seen).toHaveLength(0)
  })

  it.each([
    ['an HTML page', '<title>Sign in</title>'],
    ['nothing', ''],
    ['no data', '{"message":"OK"}'],
    ['a list of tokens that was cut off', '{"message":"OK","data":[{"data":"SECRET-'],
  ])('is unreadable if it’s %s, and the error never quotes it', async (_, body) => {
    await using vendor = await startVendor((response) => void response.end(body))
    const { healthChecks, tokens } = vendor.api()
    const readError = await catchFailure(tokens.list())
    const writeError = await catchFailure(tokens.generate())
    expect(readError).toMatchObject({ kind: 'unreadable', status: 200, mayHaveHappened: false })
    expect(writeError).toMatchObject({ kind: 'unreadable', status: 200, mayHaveHappened: true })
    expect([readError.serviceMessages, writeError.serviceMessages].flat()).toEqual([])
    const listError = await catchFailure(healthChecks.list())
    expect(listError).toMatchObject({ kind: 'unreadable', serviceMessages: [] })
  })

  it('reports the failure in a body whose status says success, and quotes it unless it’s about tokens', async () => {
    const errors = [{ code: 'FORBIDDEN', message: 'Not yours.' }]
    await using vendor = await startVendor((response) => reply(response, { errors, data: [] }))
    const { healthChecks, tokens } = vendor.api()
    const failure = { kind: 'forbidden', status: 200 }
    const quoted = { ...failure, serviceMessages: ['Not yours.'] }
    expect(await catchFailure(healthChecks.list())).toMatchObject({ ...quoted, mayHaveHappened: false })
    expect(await catchFailure(healthChecks.delete('u'))).toMatchObject({ ...quoted, mayHaveHappened: true })
    expect(await catchFailure(tokens.list())).toMatchObject({ ...failure, serviceMessages: [] })
  })

  it.each<[name: string, answers: readonly (number | 'lost')[], isAnswered: boolean]>([
    ['an error of the service', [500], true],
    ['a failure in a success', [200], true],
    ['a refusal', [422], true],
    ['a gateway that gave up', [504], false],
    ['a lost answer', ['lost'], false],
    ['a lost answer, and then an error', ['lost', 500], false],
    ['a lost answer, and then a failure in a success', ['lost', 200], false],
    ['a gateway that gave up, and then a refusal', [504, 422], false],
  ])('of a write is known to be over after %s: %o', async (_, answers, isAnswered) => {
    const left = [...answers]
    await using vendor = await startVendor((response) => {
      const answer = left.shift() ?? 'lost'
      if (answer === 'lost') response.destroy()
      else reply(response, { errors: [{ code: 'BAD_REQUEST', message: 'No.' }] }, answer)
    })
    const { healthChecks } = vendor.api({ retry: { attempts: answers.length, baseMs: 0, maxMs: 0 } })
    const failure = await catchFailure(healthChecks.delete('u'))
    expect(failure.isAnswered).toBe(isAnswered)
  })
})

describe('an error of the service client', () => {
  it('contains no token, header, or body, even if the service echoes them', async () => {
    const responders: Respond[] = [
      (response, { headers, body }) =>
        reply(
          response,
          { errors: [{ code: TOKEN, message: `${headers.authorization} ${body.length}` }] },
          400,
        ),
      (response, { headers }) => void response.end(`<p>${headers.authorization}`),
      dropConnection,
      hang,
    ]
    for (const respond of responders) {
      await using vendor = await startVendor(respond)
      const { orders, tokens } = vendor.api({ timeouts: { headersMs: 100 } })
      const error = await catchFailure(
        orders.create({ ...ORDER, csr: 'hidden-csr' }).then((answer) => {
          expect(answer).toContain('[token]')
          return tokens.generate()
        }),
      )
      const exposed = `${inspect(error, { depth: 20, showHidden: true })} ${error.stack} ${JSON.stringify(error)}`
      expect(exposed).not.toContain(TOKEN)
      expect(exposed).not.toContain('hidden-csr')
      expect(exposed).not.toContain('Bearer secret')
    }
  })

  it('contains no token that someone pasted instead of an ID', async () => {
    await using vendor = await startVendor((response) => reply(response, {}, 404))
    const error = await catchFailure(vendor.api().threats.get(TOKEN))
    expect(error.message).toBe('GET /cti/v2/events/[token] answered 404')
  })
})
