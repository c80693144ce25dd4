import { Agent, type IncomingMessage, request } from 'node:http'

const RESPONSE_LIMIT_BYTES = 1024 * 1024

/** The app's response. `status` is 0 if there was none. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  text: string
  problem: 'none' | 'timeout' | 'connection'
}

export interface SignedRequest {
  headers: Record<string, string>
  body: string
}

export const failedResponse = (problem: 'timeout' | 'connection', text = ''): HttpResponse => ({
  status: 0,
  headers: {},
  text,
  problem,
})

function flatHeaders(response: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]))
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > RESPONSE_LIMIT_BYTES) throw new Error('the answer is longer than 1 MiB')
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Posts to the app, over a new connection each time. Never throws: timeouts and connection errors are in the response's
 * `problem`.
 */
export function createHttpClient(ackTimeoutMs: number) {
  const agent = new Agent({ keepAlive: false })
  const calls = new Set<{ destroy(): void }>()
  return {
    post(address: string, { headers, body }: SignedRequest): Promise<HttpResponse> {
      return new Promise((resolve) => {
        const call = request(address, {
          method: 'POST',
          headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
          agent,
        })
        calls.add(call)
        const finish = (response: HttpResponse) => {
          clearTimeout(timer)
          calls.delete(call)
          call.destroy()
          resolve(response)
        }
        const timer = setTimeout(() => finish(failedResponse('timeout')), ackTimeoutMs)
        call.on('error', (error) => finish(failedResponse('connection', error.message)))
        call.on('close', () =>
          finish(failedResponse('connection', 'the connection closed without an answer')),
        )
        call.on('response', (response) => {
          const { statusCode: status = 0 } = response
          const headers = flatHeaders(response)
          readBody(response).then(
            (text) => finish({ status, headers, text, problem: 'none' }),
            (error: Error) => finish(failedResponse('connection', error.message)),
          )
        })
        call.end(body)
      })
    },

    close(): void {
      for (const call of calls) call.destroy()
      agent.destroy()
    },
  }
}
