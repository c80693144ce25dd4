import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { DEFAULT_TOKEN, type Sandbox, type SandboxOptions, startSandbox } from '../src/start.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Parses the body as JSON. The type is what the test expects. */
  json: <T>() => T
}

export interface RequestOptions {
  token?: string | null
  headers?: Record<string, string>
  signal?: AbortSignal
}

export type Client = ReturnType<typeof createClient>

/** An HTTP client for one environment. A body that isn't text or bytes is sent as JSON. */
export function createClient(url: string, defaultToken = DEFAULT_TOKEN) {
  return async (
    method: string,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Answer> => {
    const token = options.token === undefined ? defaultToken : options.token
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    }
    const response = await fetch(url + path, {
      method,
      headers,
      redirect: 'manual',
      // Adding a hundred thousand checks takes more than ten seconds on a busy machine.
      signal: options.signal ?? AbortSignal.timeout(120_000),
      ...(body !== undefined && {
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) }
  }
}

/** Starts a sandbox for all tests of a file, by default without examples and checking. Returns a client for each environment. */
export function useSandbox(options: SandboxOptions = {}) {
  let sandbox: Sandbox | undefined
  beforeAll(async () => {
    sandbox = await startSandbox({ seed: false, checking: false, ...options })
  })
  afterAll(() => sandbox?.[Symbol.asyncDispose]())
  function started(): Sandbox {
    if (!sandbox) throw new Error('The sandbox isn’t started yet.')
    return sandbox
  }
  const call: Client = (...request) => createClient(started().productionUrl, options.token)(...request)
  const ote: Client = (...request) => createClient(started().oteUrl, options.token)(...request)
  return { call, ote, started }
}

export const CHECKS = '/healthcheck/v1/healthchecks'

export const checkBody = (changes: object = {}) => ({
  name: 'Shop',
  customer_id: 1100,
  protocol: 'TCP',
  target: '127.0.0.1',
  port: 5432,
  frequency: 60,
  ...changes,
})

/** Creates a check and returns its uuid. */
export async function createCheck(call: Client, changes: object = {}): Promise<string> {
  const answer = await call('POST', CHECKS, checkBody(changes))
  if (answer.status !== 200) throw new Error(answer.text)
  // The response to a creation: { message, data: Healthcheck }.
  return answer.json<{ data: { uuid: string } }>().data.uuid
}

/** The messages of an error object, or of a JSON:API error document. */
export function errorMessages(answer: Answer): string[] {
  // Both formats contain a list of errors. A missing part shows up as undefined in the expectation.
  const { errors } = answer.json<{ errors: { message?: string; detail?: string }[] }>()
  return errors.map(({ message, detail }) => message ?? detail ?? '')
}

/** Waits until the condition is true, for up to a minute in case the machine is busy. */
export async function waitUntil(condition: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition wasn’t true within 60 s.')
    await wait(10)
  }
}
