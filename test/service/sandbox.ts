import { type Sandbox, startSandbox } from '@signalman/sandbox/src/index.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service/service.ts'

export interface World extends AsyncDisposable {
  sandbox: Sandbox
  service: Service
  /** The requests that the sandbox's production environment has received, as `METHOD path`. */
  journal(): Promise<string[]>
  /** Calls a control endpoint of the production environment and returns its response. */
  control(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Starts a sandbox that runs no health checks, and a client for both of its environments. */
export async function startWorld({ seed = false, headersMs = 8_000 } = {}): Promise<World> {
  const sandbox = await startSandbox({ seed, checking: false })
  const service = createClient(sandbox, { headersMs })
  const control = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${sandbox.productionUrl}/_sandbox/${path}`, {
      method,
      ...(body !== undefined && { body: text, headers: { 'content-type': 'application/json' } }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json()
  }
  return {
    sandbox,
    service,
    control,
    async journal() {
      // Cast, because this endpoint of the sandbox returns these fields.
      const entries = (await control('GET', 'requests')) as { method: string; path: string }[]
      return entries.map(({ method, path }) => `${method} ${path}`)
    },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
    },
  }
}

/** Creates another client for the same sandbox. */
export function createClient(sandbox: Sandbox, timeouts: NonNullable<ServiceOptions['timeouts']>): Service {
  return createService({
    baseUrls: { production: sandbox.productionUrl, ote: sandbox.oteUrl },
    retry: { baseMs: 1, maxMs: 2 },
    timeouts,
  })
}
