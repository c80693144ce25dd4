import type { Sandbox } from '@signalman/sandbox/src/index.ts'

export interface JournalEntry {
  method: string
  path: string
  body: unknown
  status: number
  /** The kind of fault that was injected. */
  fault?: string
}

/** A fault to inject with `PUT /_sandbox/faults`. */
export interface Fault {
  method?: string
  path: string
  kind: 'delay' | 'hold' | 'hang' | 'reset' | 'drop-reply' | 'status' | 'body'
  ms?: number
  status?: number
  headers?: Record<string, string>
  body?: unknown
  times?: number
}

/** A health check to create, with its alerts. */
export interface CheckSeed {
  name: string
  status?: string
  protocol?: string
  target?: string
  port?: number
  frequency?: number
  customer_id?: number
  http_server_address?: string
  verify_ssl?: boolean
  /** Recipients of one alert each. */
  alerts?: readonly (readonly string[])[]
}

export type SandboxControl = ReturnType<typeof createSandboxControl>

/** Controls the sandbox's production environment through its `/_sandbox` endpoints, and uses its API like another client. */
export function createSandboxControl({ productionUrl, token }: Sandbox) {
  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(`${productionUrl}${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(!path.startsWith('/_sandbox') && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }

  return {
    /** Lists the requests to the API since the world started, oldest first. */
    async requests(method?: string): Promise<JournalEntry[]> {
      const requests = (await call('GET', '/_sandbox/requests')) as JournalEntry[]
      return requests.filter((entry) => !method || entry.method === method)
    },
    async clearRequests(): Promise<void> {
      await call('DELETE', '/_sandbox/requests')
    },
    /** Replaces the current faults and releases held requests. */
    async faults(...faults: Fault[]): Promise<void> {
      await call('PUT', '/_sandbox/faults', faults)
    },
    /** Answers a GET of this path with this data. */
    async answerWith(path: string, data: unknown): Promise<void> {
      await this.faults({ method: 'GET', path, kind: 'body', body: { message: 'OK', data } })
    },
    /** Lists only these checks, and counts more: what is left of a list behind its first page is empty. */
    async listFewer(total: number, results: readonly unknown[]): Promise<void> {
      const answer = (query: string, rows: readonly unknown[]) => ({
        ...{ method: 'GET', path: `/healthcheck/v1/healthchecks?${query}`, kind: 'body' as const },
        body: { message: 'OK', data: { total, limit: 500, offset: 0, results: rows } },
      })
      await this.faults(answer('limit=500&offset=0', results), answer('', []))
    },
    async orders(): Promise<{ body: unknown }[]> {
      return (await call('GET', '/_sandbox/orders')) as { body: unknown }[]
    },
    async addCheck({ status, alerts = [], ...check }: CheckSeed): Promise<string> {
      const body = {
        protocol: 'HTTPS',
        target: 'shop.example.com',
        port: 443,
        frequency: 60,
        customer_id: 1,
        ...check,
      }
      const { data } = (await call('POST', '/healthcheck/v1/healthchecks', body)) as {
        data: { uuid: string }
      }
      for (const recipients of alerts) {
        await call('POST', `/healthcheck/v1/healthchecks/${data.uuid}/alerts`, { type: 'EMAIL', recipients })
      }
      if (status) await call('PUT', `/_sandbox/health-checks/${data.uuid}/status`, { status })
      return data.uuid
    },
    addBulkChecks: (count: number) => call('POST', '/_sandbox/health-checks', { count }),
    /** Sets a status that the sandbox then doesn't change on its own. */
    async setStatus(uuid: string, status: string): Promise<void> {
      await call('PUT', `/_sandbox/health-checks/${uuid}/status`, { status })
    },
    async check(uuid: string): Promise<Record<string, unknown>> {
      const { data } = (await call('GET', `/healthcheck/v1/healthchecks/${uuid}`)) as {
        data: Record<string, unknown>
      }
      return data
    },
    async alerts(uuid: string): Promise<{ id: string; recipients: string[] }[]> {
      const { data } = (await call('GET', `/healthcheck/v1/healthchecks/${uuid}/alerts`)) as {
        data: { id: string; recipients: string[] }[]
      }
      return data
    },
    async checksNamed(name: string): Promise<{ uuid: string; name: string }[]> {
      const query = new URLSearchParams({ name })
      const { data } = (await call('GET', `/healthcheck/v1/healthchecks?${query}`)) as {
        data: { results: { uuid: string; name: string }[] }
      }
      return data.results
    },
    /** Changes a check from outside the app. The service's API needs every field, so the others get default values. */
    async change(uuid: string, fields: Partial<CheckSeed>): Promise<void> {
      const body = { name: 'web', protocol: 'HTTPS', target: 'www.example.com', port: 443, frequency: 60 }
      await call('PUT', `/healthcheck/v1/healthchecks/${uuid}`, { ...body, customer_id: 1, ...fields })
    },
    async addAlert(uuid: string, recipients: readonly string[]): Promise<void> {
      await call('POST', `/healthcheck/v1/healthchecks/${uuid}/alerts`, { type: 'EMAIL', recipients })
    },
    async remove(uuid: string): Promise<void> {
      await call('DELETE', `/healthcheck/v1/healthchecks/${uuid}`)
    },
    async countChecks(): Promise<number> {
      const { data } = (await call('GET', '/healthcheck/v1/healthchecks?limit=1')) as {
        data: { total: number }
      }
      return data.total
    },
    async listAllChecks(): Promise<Record<string, unknown>[]> {
      const checks: Record<string, unknown>[] = []
      for (let offset = 0; offset < 1_000_000; offset += 500) {
        const { data } = (await call('GET', `/healthcheck/v1/healthchecks?limit=500&offset=${offset}`)) as {
          data: { results: Record<string, unknown>[] }
        }
        if (data.results.length === 0) break
        checks.push(...data.results)
      }
      return checks
    },
    async listAllNames(): Promise<string[]> {
      return (await this.listAllChecks()).map(({ name }) => String(name))
    },
    async countTokens(): Promise<number> {
      const { data } = (await call('GET', '/auth/v1/tokens')) as { data: unknown[] }
      return data.length
    },
    async threats(): Promise<{ id: string; domain: string }[]> {
      return (await call('GET', '/_sandbox/threat-events')) as { id: string; domain: string }[]
    },
    storeThreat: (id: string, event: unknown) => call('PUT', `/_sandbox/threat-events/${id}`, event),
  }
}
