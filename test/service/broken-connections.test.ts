import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, it, vi } from 'vitest'
import { explain } from '../../src/bot/request/explain.ts'
import { ApiError } from '../../src/service/errors.ts'
import type { Api } from '../../src/service/service.ts'
import { IS_LONG } from '../long.ts'
import { UNTRUSTED } from './untrusted.ts'
import { BODY, createClient, PRODUCTION, TOKEN } from './vendor.ts'

const UUID = '0b9f8c1e-3f0a-4d0e-9c55-0c9a5d1f7e11'
const GOOD = JSON.stringify({ message: 'OK', data: { uuid: UUID, name: 'shop' } })

type Behavior = (socket: Socket) => unknown

const reset: Behavior = (socket) => socket.resetAndDestroy()
const end: Behavior = (socket) => socket.end()
const stall: Behavior = () => undefined
/** Sends the text, and then does what is given. The pause lets the text arrive before a reset. */
const send =
  (text: string, then: Behavior): Behavior =>
  (socket) =>
    socket.write(text, 'latin1', () => setImmediate(() => setImmediate(() => then(socket))))
const head = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`
const SIZED = head(`content-length: ${GOOD.length}`)
const CHUNKED = head('transfer-encoding: chunked')
const HALF = GOOD.slice(0, 40)

async function drip(socket: Socket): Promise<void> {
  while (!socket.destroyed) {
    socket.write(' ')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function flood(socket: Socket): Promise<void> {
  const bytes = Buffer.alloc(64 * 1024, 'x')
  while (!socket.destroyed)
    if (!socket.write(bytes)) await once(socket, 'drain', { signal: closed(socket) }).catch(() => undefined)
}

const closed = (socket: Socket): AbortSignal => {
  const stop = new AbortController()
  socket.once('close', () => stop.abort())
  return stop.signal
}

/** What the server does after it has read the whole request. */
const AFTER_THE_REQUEST: Readonly<Record<string, Behavior>> = {
  'a reset': reset,
  'an end without a byte': end,
  silence: stall,
  'headers, then a reset': send(SIZED, reset),
  'headers, then silence': send(SIZED, stall),
  'half a body, then a reset': send(SIZED + HALF, reset),
  'half a body, then an end': send(SIZED + HALF, end),
  'half a body, then silence': send(SIZED + HALF, stall),
  'a length that is too long': send(head(`content-length: ${GOOD.length + 9}`) + GOOD, end),
  'another protocol': send('SSH-2.0-x\r\n', end),
  'only an intermediate response': send('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', reset),
  'no content': send('HTTP/1.1 204 No Content\r\n\r\n', end),
  'an endless body': send(head(), flood),
  'a body of 64 MB': send(head(`content-length: ${64 << 20}`), flood),
  'a body byte by byte': send(head(), drip),
  'a header of 64 KB': send(
    head(`x: ${'y'.repeat(64 * 1024)}`, `content-length: ${GOOD.length}`) + GOOD,
    end,
  ),
  'a redirect': send(
    'HTTP/1.1 302 Found\r\nlocation: https://elsewhere.example/\r\ncontent-length: 0\r\n\r\n',
    end,
  ),
  'a compressed body': send(`${head('content-encoding: gzip', 'content-length: 4')}\x1f\x8b\x08\x00`, end),
  '50,000 levels': send(`${head()}{"message":"OK","data":${'['.repeat(50_000)}`, end),
  'a list of 50,000 levels in the data': send(
    `${head()}{"message":"OK","data":{"uuid":"${UUID}","name":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    end,
  ),
}

/** What the server does before it has read anything. */
const AT_ONCE: Readonly<Record<string, Behavior>> = {
  'a reset of the new connection': reset,
  'an end of the new connection': end,
  'a connection that is never read': (socket) => socket.pause(),
  'a byte before the request, then a reset': send('H', reset),
  'a reset at the first byte': (socket) => socket.once('data', () => socket.resetAndDestroy()),
}

/** Complete answers in unusual forms. */
const UNUSUAL: Readonly<Record<string, Behavior>> = {
  'intermediate responses': send(
    `${'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(2)}${SIZED}${GOOD}`,
    end,
  ),
  trailers: send(`${CHUNKED}${GOOD.length.toString(16)}\r\n${GOOD}\r\n0\r\nx: y\r\n\r\n`, end),
  'another answer behind it': send(`${SIZED}${GOOD}${SIZED}${GOOD}`, end),
  'no length': send(head() + GOOD, end),
}

/** Whose refusal it is isn't known without the body. */
const REJECTIONS: Readonly<Record<string, Behavior>> = {
  'a refusal, then a reset': send('HTTP/1.1 400 Bad Request\r\ncontent-length: 20\r\n\r\n{"er', reset),
  'a refusal, then silence': send('HTTP/1.1 409 Conflict\r\ncontent-length: 20\r\n\r\n{"er', stall),
}

interface Behaviors {
  atOnce?: Behavior
  afterRequest?: Behavior
}

/** A server on TCP that counts its connections, and those on which it received a byte. */
async function startRawServer({ atOnce, afterRequest }: Behaviors) {
  let withBytes = 0
  let connections = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    let received = ''
    socket.on('data', (bytes) => {
      if (received === '') withBytes += 1
      received += bytes.toString('latin1')
      const headEnd = received.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (headEnd < 0 || received.length < headEnd + 4 + length) return
      received = ' '
      afterRequest?.(socket)
    })
    atOnce?.(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // A server that listens on TCP has an address object.
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    countWithBytes: () => withBytes,
    countConnections: () => connections,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const CALLS: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  read: ({ healthChecks }) => healthChecks.get(UUID),
  creation: ({ healthChecks }) => healthChecks.create(BODY),
  order: ({ orders }) => orders.create({ action: 'create', csr: 'PEM', duration: '1 year' }),
  update: ({ healthChecks }) => healthChecks.update(UUID, BODY),
  deletion: ({ healthChecks }) => healthChecks.delete(UUID),
}
const POSTS = ['creation', 'order']
const TRIED = Object.entries(CALLS).filter(
  ([name]) => IS_LONG || ['read', 'order', 'deletion'].includes(name),
)

/** For what never ends. Otherwise there is no limit, because on a busy machine any response may take this long. */
const TIMEOUTS = { connectMs: 3000, headersMs: 200, bodyMs: 200, totalMs: 3000 }
const NEVER_ENDS = /silence|byte by byte|never read/

/** Runs a call. Fails unless its error is one sentence that names the call, and nothing of the request. */
async function run(
  call: (api: Api) => Promise<unknown>,
  behavior: string,
  { url, onCall = (): void => undefined }: { url: string; onCall?(): void },
): Promise<ApiError | undefined> {
  await using client = createClient(url, {
    timeouts: NEVER_ENDS.test(behavior) ? TIMEOUTS : {},
    retry: { attempts: 2, baseMs: 1, maxMs: 2 },
    maxBytes: 200_000,
    onCall,
  })
  const error: unknown = await call(client.with(PRODUCTION)).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error === undefined) return undefined
  if (!(error instanceof ApiError)) throw error
  expect(error.message, behavior).toMatch(/^(?:GET|POST|PUT|DELETE) \/[^\n]+$/)
  expect(error.message, behavior).not.toContain(TOKEN)
  expect(explain(error).happened, behavior).toMatch(/^[A-Z][^\n]*\.$/)
  return error
}

/** Runs each kind of call against each behavior, at the same time, because most of these calls wait for a timeout. */
const runEach = <B>(
  behaviors: Readonly<Record<string, B>>,
  check: (call: (typeof TRIED)[number], behavior: [name: string, B]) => Promise<void>,
) => Promise.all(TRIED.flatMap((call) => Object.entries(behaviors).map((behavior) => check(call, behavior))))

it('a call ends in one sentence, and says whether it may have been done, whatever happens after the request', async () => {
  /** How an error of a read is called. */
  const KINDS: Readonly<Record<string, string>> = {
    'a reset': 'unavailable',
    silence: 'timeout',
    'half a body, then a reset': 'unavailable',
    'half a body, then silence': 'timeout',
    'a body byte by byte': 'timeout',
    'another protocol': 'unreadable',
    'a header of 64 KB': 'unreadable',
    'an endless body': 'unreadable',
    'a redirect': 'unreadable',
  }
  await runEach({ ...AFTER_THE_REQUEST, ...REJECTIONS }, async ([name, call], [behavior, afterRequest]) => {
    await using server = await startRawServer({ afterRequest })
    const error = await run(call, behavior, server)
    const message = `a ${name} after ${behavior}`
    if (POSTS.includes(name)) expect(server.countWithBytes(), message).toBe(1)
    expect(server.countWithBytes(), message).toBeLessThanOrEqual(2)
    if (error) expect(error.mayHaveHappened, message).toBe(name !== 'read')
    // The answer to an order isn't documented, so any complete success is one.
    else expect(name === 'order' || behavior.includes('in the data'), message).toBe(true)
    if (name === 'read' && behavior in KINDS) expect(error?.kind, message).toBe(KINDS[behavior])
  })
})

it('a call is never sent twice if it may have been sent, whatever happens to its connection', async () => {
  await runEach(AT_ONCE, async ([name, call], [behavior, atOnce]) => {
    await using server = await startRawServer({ atOnce })
    const error = await run(call, behavior, server)
    const message = `a ${name} after ${behavior}`
    expect(error, message).toBeInstanceOf(ApiError)
    // What is called not sent has sent nothing.
    if (!error?.mayHaveHappened && name !== 'read') expect(server.countWithBytes(), message).toBe(0)
    if (!POSTS.includes(name)) return
    expect(server.countWithBytes(), message).toBeLessThanOrEqual(1)
    // A second connection could get what the first one has got already.
    expect(server.countConnections(), message).toBeLessThanOrEqual(error?.mayHaveHappened ? 1 : 2)
  })
})

it('a call succeeds after a complete answer in any form', async () => {
  await runEach(UNUSUAL, async ([name, call], [behavior, afterRequest]) => {
    await using server = await startRawServer({ afterRequest })
    expect(await run(call, behavior, server), `a ${name} after ${behavior}`).toBeUndefined()
    expect(server.countWithBytes(), `a ${name} after ${behavior}`).toBe(1)
  })
})

it('an order of which only the first bytes are read may have been done, and isn’t repeated', async () => {
  await using server = await startRawServer({
    atOnce: (socket) => socket.once('data', () => socket.pause().resetAndDestroy()),
  })
  const csr = 'x'.repeat(4 << 20)
  const order = { action: 'create', csr, duration: '1 year' }
  const error = await run(({ orders }) => orders.create(order), 'a reset', server)
  expect([error?.kind, error?.mayHaveHappened, server.countConnections()]).toEqual(['unavailable', true, 1])
})

it('a call may have been done if the TLS connection breaks after the request', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  await Promise.all(
    TRIED.map(async ([name, call]) => {
      const connections: Socket[] = []
      let requests = 0
      const tls = createTlsServer(UNTRUSTED, (socket) => {
        socket.on('error', () => undefined)
        // What comes on the connection below isn't TLS.
        socket.once('data', () => {
          requests += 1
          connections.at(-1)?.write('HTTP/1.1 200 OK\r\n\r\n')
        })
      })
      tls.on('connection', (socket: Socket) => connections.push(socket)).listen(0, '127.0.0.1')
      await once(tls, 'listening')
      const url = `https://localhost:${(tls.address() as AddressInfo).port}`
      const error = await run(call, 'bytes without TLS, then silence', { url })
      expect(error?.mayHaveHappened, name).toBe(name !== 'read')
      if (POSTS.includes(name)) expect(requests).toBe(1)
      await new Promise((resolve) => tls.close(resolve))
    }),
  )
  vi.unstubAllEnvs()
})

describe('a call that can’t connect', () => {
  /** Makes the calls. Returns what was said about each, and how many attempts there were. */
  async function expectNotSent(
    url: string,
    behavior = '',
  ): Promise<{ messages: string[]; attempts: number }> {
    let attempts = 0
    const onCall = () => {
      attempts += 1
    }
    const errors = await Promise.all(TRIED.map(([, call]) => run(call, behavior, { url, onCall })))
    expect(errors, behavior).toEqual(errors.map(() => expect.objectContaining({ mayHaveHappened: false })))
    return { messages: errors.map((error) => error?.message ?? ''), attempts }
  }

  /** Nothing was sent, so even a POST is tried again. */
  const TWICE_EACH = 2 * TRIED.length

  it('was not sent if the port is closed', async () => {
    const closed = await startRawServer({})
    await closed[Symbol.asyncDispose]()
    const { messages, attempts } = await expectNotSent(closed.url)
    expect(messages.filter((message) => !message.includes('ECONNREFUSED'))).toEqual([])
    expect(attempts).toBe(TWICE_EACH)
  })

  it('was not sent if the host has no address', async () => {
    await expectNotSent('http://127.0.0.1.invalid')
  })

  it('was not sent if the certificate isn’t trusted', async () => {
    const tls = createTlsServer(UNTRUSTED, () => expect.fail('a connection was accepted')).listen(
      0,
      '127.0.0.1',
    )
    await once(tls, 'listening')
    const { port } = tls.address() as AddressInfo
    const { messages, attempts } = await expectNotSent(`https://localhost:${port}`)
    expect(messages.filter((message) => !message.includes('self-signed certificate'))).toEqual([])
    expect(attempts).toBe(TWICE_EACH)
    await new Promise((resolve) => tls.close(resolve))
  })

  it('was not sent if instead of a TLS handshake there is anything else', async () => {
    const behaviors = { ...AT_ONCE, 'another protocol': send('SSH-2.0-x\r\n', end) }
    await Promise.all(
      Object.entries(behaviors).map(async ([behavior, atOnce]) => {
        await using server = await startRawServer({ atOnce })
        await expectNotSent(server.url.replace('http:', 'https:'), behavior)
      }),
    )
  })
})
