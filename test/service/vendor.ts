import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Environment } from '../../src/domain/environment.ts'
import { ApiError } from '../../src/service/errors.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service/service.ts'

export const TOKEN = 'secret-token-7c41'
/** A health check to create. */
export const BODY = {
  name: 'shop',
  customerId: 1,
  protocol: 'TCP',
  target: 'shop.example.com',
  port: 443,
  frequency: 60,
}
export const PRODUCTION: { environment: Environment; token: string } = {
  environment: 'production',
  token: TOKEN,
}

export interface ReceivedRequest {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** A server that stands in for the service. */
export interface Vendor extends AsyncDisposable {
  url: string
  seen: ReceivedRequest[]
  connections(): number
  /** The API with the token for production, of a client that closes with this server. */
  api(options?: Partial<ServiceOptions>): ReturnType<Service['with']>
}

export type Respond = (response: ServerResponse, request: ReceivedRequest, index: number) => void

/** Starts a server that can misbehave in ways that the sandbox can't. */
export async function startVendor(respond: Respond): Promise<Vendor> {
  const seen: ReceivedRequest[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The client has canceled the request.
      return
    }
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: Buffer.concat(chunks).toString() }
    respond(response, received, seen.push(received) - 1)
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The address of a server that listens on TCP is an object.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const clients = new AsyncDisposableStack()
  return {
    url,
    seen,
    connections: () => connections,
    api: (options) => clients.use(createClient(url, options)).with(PRODUCTION),
    async [Symbol.asyncDispose]() {
      await clients.disposeAsync()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Creates a service client with short pauses between retries. `options` can change the default timeouts. */
export function createClient(url: string, options: Partial<ServiceOptions> = {}): Service {
  return createService({
    baseUrls: { production: url, ote: url },
    retry: { baseMs: 1, maxMs: 2 },
    ...options,
  })
}

export async function catchFailure(call: Promise<unknown>): Promise<ApiError> {
  const outcome: unknown = await call.then(
    () => 'nothing failed',
    (error: unknown) => error,
  )
  if (outcome instanceof ApiError) return outcome
  throw new Error('Expected an ApiError', { cause: outcome })
}

export function reply(response: ServerResponse, body: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export const errorObject = (code: string): object => ({ errors: [{ code, message: 'No.' }] })

export function page(results: readonly unknown[], fields: object = {}): object {
  return { message: 'OK', data: { total: results.length, limit: 500, offset: 0, results, ...fields } }
}
