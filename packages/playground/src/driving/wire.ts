import type { EventPage, Outcome, Refusal, Snapshot } from '../protocol.ts'

export type Wire = ReturnType<typeof createWire>

async function read<T>(response: Response, what: string): Promise<T> {
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${what}: ${explain(text)} (status ${response.status})`)
  // The playground answers with the shapes of protocol.ts, which its own tests hold it to.
  return JSON.parse(text) as T
}

function explain(text: string): string {
  try {
    // A refusal is JSON; anything else is shown as it came.
    return (JSON.parse(text) as Refusal).message ?? text
  } catch {
    return text
  }
}

/** The driver's own HTTP, and what the app has printed; every request is over after 60 s, and any answer but 200 is an Error with its sentence. */
export function createWire(url: string, printed: () => string) {
  const base = `${url.replace(/\/$/, '')}/_playground`
  const signal = () => AbortSignal.timeout(60_000)

  return {
    printed,

    get: async <T>(path: string): Promise<T> =>
      read<T>(await fetch(`${base}/${path}`, { signal: signal() }), path),

    post: async <T>(path: string, body: object): Promise<T> => {
      const headers = { 'x-playground': '1', 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: signal() }
      return read<T>(await fetch(`${base}/${path}`, init), path)
    },

    upload: async <T>(path: string, type: string, bytes: Uint8Array<ArrayBuffer>): Promise<T> => {
      const headers = { 'x-playground': '1', 'content-type': type }
      return read<T>(
        await fetch(`${base}/${path}`, { method: 'POST', headers, body: bytes, signal: signal() }),
        path,
      )
    },

    /** Posts a scenario's text as it is. */
    load: async (scenario: string): Promise<Outcome> =>
      read<Outcome>(
        await fetch(`${base}/scenario`, {
          method: 'POST',
          headers: { 'x-playground': '1' },
          body: new TextEncoder().encode(scenario),
          signal: signal(),
        }),
        'scenario',
      ),

    state(user: string): Promise<Snapshot> {
      return this.get<Snapshot>(`state?user=${encodeURIComponent(user)}`)
    },

    events(user: string, after: number, waitMs: number): Promise<EventPage> {
      const query = new URLSearchParams({ user, after: String(after), wait: String(waitMs) })
      return this.get<EventPage>(`events?${query}`)
    },

    act(path: string, body: object): Promise<Outcome> {
      return this.post<Outcome>(path, body)
    },
  }
}
